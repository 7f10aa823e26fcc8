"""The loop: games become targets, targets a net, and the net is measured."""
