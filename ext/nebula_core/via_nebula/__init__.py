"""The rules of Via Nebula: editions (`edition`), and states and moves of them (`rules`)."""
