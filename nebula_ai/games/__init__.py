"""One package for each game. They never import each other, and only `nebula_ai.registry` knows their list."""
