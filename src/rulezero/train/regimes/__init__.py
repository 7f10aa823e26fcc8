"""Who plays whom, what is learned from it, who is promoted: one file per regime."""
