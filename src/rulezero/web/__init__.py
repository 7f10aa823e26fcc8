"""The page: play, watch, train and explain in a browser."""
