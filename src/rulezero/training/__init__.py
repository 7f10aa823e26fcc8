"""The training loop: play games, fit a net to them, and measure the net."""
