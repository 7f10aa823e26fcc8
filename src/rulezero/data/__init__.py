"""Records of games: their form, their store, other forms."""
