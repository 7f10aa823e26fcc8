"""Who is stronger: matches, and yardsticks that need no opponent."""
