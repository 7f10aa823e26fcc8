"""`rulezero players` and docs/players.md: every kind and key, with default and meaning."""

import rulezero as rz
from golden.players import PAGE, page
from rulezero import _core
from rulezero.play.players import kinds
from support.commands import fails, succeeds


def test_every_key_is_listed() -> None:
    """In a pipe, each key is one line, however long."""
    for kind in kinds().values():
        first, *lines = succeeds("players", kind.name).splitlines()
        assert first == f"{kind.name}  {kind.help}"
        rows = [" ".join(line.split()) for line in lines]
        for key in kind.keys:
            assert " ".join(f"{key.name} {key.fallback} {key.help}".split()) in rows


def test_all_kinds_are_listed() -> None:
    """Without a name, `rulezero players` lists every kind."""
    parts = [succeeds("players", name) for name in kinds()]
    assert succeeds("players") == "".join(parts)


def test_an_unknown_kind_is_one_line() -> None:
    """The error suggests the kind with the nearest name."""
    assert "did you mean 'puct'" in fails("players", "puckt")


def test_the_page_is_what_the_program_knows() -> None:
    """docs/players.md lists every kind and key; `make golden` regenerates it."""
    text = PAGE.read_text(encoding="utf-8")
    assert text == page()
    for kind in kinds().values():
        assert f"\n## {kind.name}\n" in text
        for key in kind.keys:
            assert f"| `{key.name}` |" in text


def test_the_strongest_players_of_a_game() -> None:
    """`players GAME` lists them by seat; `play` recommends one to people who chose another."""
    for name in sorted(_core.game_options()):
        found = rz.play.strongest(rz.load(name))
        assert found is not None
        lines = succeeds("players", name).splitlines()
        for seat, each, line in zip(rz.load(name).facts.seat_names, found, lines[1:], strict=False):
            rz.player(each.player)
            assert 0.5 * each.games < each.points <= each.games
            assert line.split()[:2] == [seat, each.player]
    scripted = "strongest opponent without a net, as measured: --opponent scripted"
    assert scripted in succeeds("play", "monster", "--sims", "5", stdin="quit")
    assert "strongest" not in succeeds("play", "monster", "--opponent", "scripted", stdin="quit")
    assert "were not measured" in fails("players", "exchange:dice=fixed:3")
