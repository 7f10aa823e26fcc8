"""What new users do on the command line, one test for each."""

import json

from support.commands import run


def test_a_match_of_players_that_never_vary_says_so() -> None:
    """One game forty times is one game: in words, in the interval and in JSON."""
    words = ["match", "connect4", "--a", "puct:sims=20", "--b", "puct:sims=20"]
    words += ["--games", "40", "--opening", "0"]
    printed = run(*words).stdout
    assert "1 different game of 40" in printed
    assert "add temperature=1 to a player, or --opening 4" in printed
    report = json.loads(run(*words, "--json").stdout)
    assert (report["different"], report["effective_games"]) == (1, 1.0)
    assert report["first_seat"]["interval"][0] < 0.25
