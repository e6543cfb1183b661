"""The commands of `nebula-ai`, by subject; `nebula_ai.cli` puts them together. They know no game by name."""
