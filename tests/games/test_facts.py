"""The facts of a game, which let all other code do without the game's name."""

import re
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pytest

import rulezero as rz
from rulezero._core import Facts, game_options, heuristic, load_python_game
from rulezero.data.replay import follow
from support import samples
from support.documents import ROOT

EXCHANGE = rz.load("exchange")
HURT = "4k3/8/8/3q4/3R4/8/8/4K3 b 0/2 0 41 e1=20:u2,d4=13:c2,d5=9:c1:p"


def facts_of(text: str) -> Facts:
    return samples.game(text).facts


def has_heuristic(state: rz.State) -> bool:
    try:
        heuristic(state)
    except rz.GameError:
        return False
    return True


def has_script(state: rz.State) -> bool:
    try:
        rz.player("scripted:depth=1").think(state)
    except rz.PlayerError:
        return False
    return True


@pytest.mark.parametrize("text", samples.GAMES)
def test_facts_agree_with_what_the_game_can_do(text: str) -> None:
    """Seats have names, layouts are known, and flags such as has_heuristic are right."""
    facts, state = facts_of(text), samples.game(text).start()
    assert all(facts.seat_names)
    assert len(set(facts.seat_names)) == 2
    assert facts.human_seat in (0, 1)
    assert facts.policy_layout in ("planes", "from_to", "flat")
    assert (facts.typical_plies > 0) == (facts.typical_moves > 0)
    assert facts.typical_plies <= facts.max_plies
    if facts.name in game_options():
        assert facts.has_heuristic == has_heuristic(state)
        assert facts.typical_plies > 0 or ":" in text
    assert facts.has_script == has_script(state)
    starts = {samples.game(text).start(seed=seed).text for seed in range(5)}
    assert facts.has_random_start == (len(starts) > 1)
    assert bool(facts.pgn_variants) == (state.move_number is not None)


_OPTIONS = [
    *game_options(),
    "chess:planes=features781",
    "chess:draws=none",
    "exchange:dice=fixed:3",
    "random_chess:view=absolute",
    "random_chess:pieces=standard+custom",
    "random_chess:pieces=custom,view=absolute,draws=none",
]


@pytest.mark.parametrize("text", _OPTIONS)
def test_every_plane_has_a_name(text: str) -> None:
    """A game names each of its planes, whatever its options; no two planes have the same name."""
    facts = rz.load(text).facts
    assert len(facts.plane_names) == facts.planes[0]
    assert len(set(facts.plane_names)) == len(facts.plane_names)
    assert all(name and name.isprintable() and len(name) < 60 for name in facts.plane_names)


def test_planes_are_named_as_in_the_documentation() -> None:
    """docs/planes.md has the names of EXCHANGE's channels in their order."""
    page = (ROOT / "docs" / "planes.md").read_text(encoding="utf-8")
    table = page.partition("### Channels")[2].partition("### Slots")[0]
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", table, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(EXCHANGE.facts.planes[0]))
    assert [name for _, name in rows] == EXCHANGE.facts.plane_names


def test_names_of_planes_say_what_the_planes_show() -> None:
    """Planes that are easy to compute have the names of what they show."""
    game = rz.load("chess")
    state = game.start().apply(game.start().read("e2e4"))
    named = dict(zip(game.facts.plane_names, state.planes(), strict=True))
    assert named["White to move"].max() == 0
    assert named["own pawn"].sum() == 8
    assert named["enemy king"].sum() == 1
    assert named["own pawn"][3, 4] == 0  # Black sees White's pawn on e4 flipped, as an enemy
    assert named["enemy pawn"][4, 4] == 1
    assert named["enemy pawn, 1 ply ago"][6, 4] == 1
    assert named["own queenside castling"].min() == 1
    flat = rz.load("chess:planes=features781").start()
    shown = [
        name
        for name, value in zip(flat.game.facts.plane_names, flat.planes(), strict=True)
        if value
    ]
    assert {"own king on e1", "enemy queen on d8", "own kingside castling"} <= set(shown)
    assert len(shown) == 32 + 4 + 1
    white = rz.load("random_chess:view=absolute").start(seed=1)
    named = dict(zip(white.game.facts.plane_names, white.planes(), strict=True))
    assert named["White pawn"][1].min() == 1


def test_what_is_special_about_each_game() -> None:
    """Seat names, the human's seat, tables, scripts, PGN variants, layouts and constants."""
    games = {name: facts_of(name) for name in game_options()}
    assert games["connect4"].seat_names == ("X", "O")
    assert games["chess"].seat_names == ("White", "Black")
    assert {name for name, facts in games.items() if facts.human_seat == 1} == {"monster"}
    assert {name for name, facts in games.items() if facts.has_tables} == {"monster"}
    assert {name for name, facts in games.items() if facts.has_script} == {"monster"}
    assert games["random_chess"].pgn_variants[0] == "Chess960"
    assert games["monster"].policy_layout == games["razzle"].policy_layout == "from_to"
    assert games["exchange"].constants == {"decree_length": 2, "overextend_cost": 2}


def test_a_python_game_sets_the_same_facts() -> None:
    """Facts are class attributes with defaults; the error for a wrong one names the attribute."""

    class Toy(rz.PythonGame[int]):
        name = "toy"
        actions = slots = 2
        planes = (1, 1, 1)
        board = (1, 1)
        max_plies = 3
        seat_names = ("left", "right")
        human_seat = 1
        typical_plies = 3
        constants = MappingProxyType({"length": 3})

        def start(self, seed: int) -> int:
            return 0

        def parse(self, text: str) -> int:
            return int(text)

        def text(self, position: int) -> str:
            return str(position)

        def mover(self, position: int) -> int:
            return 0

        def ending(self, position: int) -> tuple[float, str] | None:
            return (0.0, "end") if position == 3 else None

        def legal(self, position: int) -> list[int]:
            return [0, 1]

        def apply(self, position: int, action: int) -> int:
            return position + 1

        def encode(self, position: int) -> npt.NDArray[np.float32]:
            return np.zeros((1, 1, 1), np.float32)

        def info(self, position: int) -> list[tuple[str, str]]:
            return [("left", str(3 - position))]

        def kind(self, position: int, action: int) -> str:
            return "steps" if action else "moves"

    game = load_python_game(Toy(), "toy")
    assert game.facts.seat_names == ("left", "right")
    assert game.facts.human_seat == 1
    assert game.facts.typical_plies == 3
    assert game.facts.constants == {"length": 3}
    assert game.facts.policy_layout == "flat"
    assert not game.facts.has_heuristic
    state = game.start().apply(1)
    assert state.info() == [("left", "2")]
    assert [state.kind(action) for action in state.legal] == ["moves", "steps"]
    assert state.ply == 1
    assert facts_of("tictactoe").seat_names == ("seat 0", "seat 1")
    assert game.facts.plane_names == []
    named = type("Named", (Toy,), {"plane_names": ("ones",)})
    assert load_python_game(named(), "named").facts.plane_names == ["ones"]
    with pytest.raises(rz.GameError, match=r"plane_names has 2 names for 1 planes"):
        load_python_game(type("Wrong", (Toy,), {"plane_names": ("a", "b")})(), "wrong")
    for name, value in (("policy_layout", "round"), ("human_seat", 2), ("seat_names", ("one",))):
        wrong = type("Wrong", (Toy,), {name: value})
        with pytest.raises(rz.GameError, match=rf"\.{name} must be"):
            load_python_game(wrong(), "wrong")


@pytest.mark.parametrize("text", samples.GAMES)
def test_every_action_has_a_kind_and_every_state_a_ply(text: str) -> None:
    """`ply` counts the players' earlier choices; rolls of a die do not count."""
    plies = 0
    for state in samples.played(text):
        assert state.ply == plies or state.mover == rz.CHANCE
        assert all(state.kind(action) for action in state.legal)
        assert all(label and words for label, words in state.info())
        plies += state.mover != rz.CHANCE
        with pytest.raises(rz.MoveError):
            state.kind(state.game.facts.actions)


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_replay_says_who_acts_and_at_which_ply(text: str) -> None:
    """The actor is the mover; the actor of a die is the seat that moved before it."""
    states = samples.played(text)
    actions = np.array(states[-1].actions, np.uint32)
    replay = follow(samples.game(text), states[0].text, actions)
    assert replay.plies.tolist() == [state.ply for state in states[:-1]]
    last = -1
    for mover, actor in zip(replay.movers.tolist(), replay.actors.tolist(), strict=True):
        last = last if mover == rz.CHANCE else mover
        assert actor == last


def test_exchange_tells_its_hidden_numbers() -> None:
    """info() has a row for an active Decree and for each man that is not fresh."""
    state = EXCHANGE.parse(HURT)
    assert state.info() == [
        ("Decree", "Black for 2 more actions"),
        ("e1", "White's K, 20 HP, charges 2"),
        ("d4", "White's R, 13 HP, ability waits 2"),
        ("d5", "Black's Q, 9 HP, ability waits 1, a promoted pawn"),
    ]
    assert state.ply == 41
    assert state.kind(state.read("d5xd4")) == "strikes"
    assert state.kind(state.read("decree")) == "Royal Decree"
    pending = state.apply(state.read("d5xd4"))
    start = EXCHANGE.parse(pending.text)
    assert (start.mover, start.ply) == (rz.CHANCE, 41)
    replay = follow(EXCHANGE, start.text, np.array(start.legal[:1], np.uint32))
    assert (replay.actors.tolist(), replay.plies.tolist()) == ([1], [41])


def test_move_numbers_are_what_a_text_says() -> None:
    """Chess-like games have the full-move number of their text; other games have None."""
    for name in ("chess", "monster", "random_chess"):
        for state in samples.played(name):
            assert state.move_number == int(state.text.split()[5])
    assert samples.game("connect4").start().move_number is None
