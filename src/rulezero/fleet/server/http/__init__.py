"""The HTTP side of a server: routes, who may use them, and what errors are answered with."""
