"""From games to a net: targets, the replay window, batches, losses, the learner."""
