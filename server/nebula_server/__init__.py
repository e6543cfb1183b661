"""The gRPC service around the library."""
