"""The rules of Nebula: editions (`edition`), and states and moves of them (`rules`)."""
