"""The search: knows games only through the contract in game.pxd."""
