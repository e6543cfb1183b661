"""The service, asked through a real channel on a loopback port."""
