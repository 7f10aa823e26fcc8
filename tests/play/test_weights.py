"""Weights of heuristics: the games' tables, players' weight files, and identities in records."""

from pathlib import Path

import pytest

import rulezero as rz
from rulezero import runs
from rulezero._core import Facts, Pool, game_options, heuristic
from rulezero._core import Player as CorePlayer
from rulezero.data.record import Record
from rulezero.fleet.local import run
from rulezero.play.players import kinds
from rulezero.play.task import Task
from rulezero.play.weights import weights_of
from support import samples
from support.commands import fails, succeeds

MONSTER = samples.game("monster")
STATES = [state for state in samples.states("monster") if not state.is_over]
PLAYERS = ("heuristic", "oneply", "puct:sims=8", "gumbel:sims=8", "ucb1:sims=8", "alphabeta")
OTHER = "white_pawn: 0.5\nfree_capture: -0.25\n"


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    """The path of a new weight file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def fallbacks(facts: Facts) -> list[float]:
    """The default weights of a game's heuristic."""
    return [each.fallback for each in facts.weights]


def test_a_game_tells_its_weights() -> None:
    """Only monster has weights, each with a name, a default within its range, and a help text."""
    tables = {name: rz.load(name).facts.weights for name in game_options()}
    assert [name for name, table in tables.items() if table] == ["monster"]
    table = {each.name: each for each in tables["monster"]}
    assert len(table) == len(tables["monster"]) == 22
    for each in table.values():
        assert each.help
        assert each.low < each.fallback < each.high
    wanted = {"white_pawn": 0.18, "blocked_pawn": 0.08, "eliminated_pawn": 0.1, "barrier": 0.12}
    assert {name: table[name].fallback for name in wanted} == pytest.approx(wanted)


def test_the_defaults_are_the_heuristic() -> None:
    """With the default weights, values are bit-identical to the heuristic's."""
    own = fallbacks(MONSTER.facts)
    assert [heuristic(state, own) for state in STATES] == [heuristic(state) for state in STATES]


def test_every_weight_counts() -> None:
    """Each weight changes the value of at least one position."""
    officers = MONSTER.parse("1qq4k/8/8/8/8/8/2PPPP2/K2QRN2 b - - 0 1")
    states = [state for state in STATES if abs(heuristic(state)) < 0.9]
    for number, each in enumerate(MONSTER.facts.weights):
        changed = fallbacks(MONSTER.facts)
        changed[number] += 0.1
        assert any(heuristic(s, changed) != heuristic(s) for s in [*states, officers]), each.name


@pytest.mark.parametrize("text", PLAYERS)
def test_players_judge_by_their_weights(text: str, tmp_path: Path) -> None:
    """An empty weight file changes no values; other weights change them."""
    player = rz.player(text)
    own = rz.player(text, weights=str(write(tmp_path, "{}")))
    other = rz.player(text, weights=str(write(tmp_path, OTHER, "other.yaml")))
    states = STATES[:40:4]
    values = [player.think(state).value for state in states]
    assert [own.think(state).value for state in states] == values
    assert [other.think(state).value for state in states] != values


def test_a_file_names_some_weights(tmp_path: Path) -> None:
    """Weights that are not in the file keep their defaults."""
    numbers = fallbacks(MONSTER.facts)
    names = [each.name for each in MONSTER.facts.weights]
    numbers[names.index("white_pawn")] = 0.5
    numbers[names.index("free_capture")] = -0.25
    player = rz.player("alphabeta:depth=1", weights=str(write(tmp_path, OTHER)))
    for state in STATES[:20]:
        assert player.think(state).raw_value == heuristic(state, numbers)


def test_who_takes_weights() -> None:
    """All kinds that can use the heuristic have the key `weights`; `scripted` does not."""
    assert {name for name, kind in kinds().items() if "weights" in [k.name for k in kind.keys]} == {
        text.partition(":")[0] for text in PLAYERS
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("white_pwan: 0.2", "mine.yaml:1: key 'white_pwan' is unknown in the file; did you mean"),
        ("barrier: 0.1\nedge: 11", "mine.yaml:2: edge is '11'; give a number from -10 to 10"),
        ("barrier: .nan", "mine.yaml:1: barrier is '.nan'; give a number from -10 to 10"),
        ("barrier: true", "mine.yaml:1: barrier is 'true'; give a number"),
        ("barrier: [1]", "mine.yaml:1: barrier is a list; give a number"),
        ("barrier: 0.1\nbarrier: 0.2", "mine.yaml:2: key 'barrier' is given twice"),
        ("", "mine.yaml:1: the file is empty; give a map"),
        ("- barrier", "mine.yaml:1: the file is a list; give a map"),
    ],
)
def test_a_wrong_file_is_one_line(text: str, words: str, tmp_path: Path) -> None:
    """The error is one line that names the file and the line number."""
    player = rz.player("heuristic", weights=str(write(tmp_path, text)))
    with pytest.raises(rz.PlayerError) as error:
        player.think(MONSTER.start())
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_what_cannot_use_weights_says_so(tmp_path: Path) -> None:
    """Errors: a game without weights, another evaluator, a net, a missing file."""
    path = write(tmp_path, OTHER)
    for game in ("connect4", "tictactoe"):
        with pytest.raises(rz.PlayerError, match=f"^{game} has no tunable weights"):
            rz.player("puct:sims=2", weights=str(path)).think(samples.game(game).start())
    for text in ("puct:eval=rollout", "puct:net=runs/x"):
        with pytest.raises(rz.PlayerError, match="only the heuristic uses weights="):
            rz.player(text, weights=str(path))
    with pytest.raises(rz.PlayerError, match="scripted has no key 'weights'"):
        rz.player("scripted", weights=str(path))
    with pytest.raises(rz.PlayerError, match=r"lost\.yaml:1: there is no such file"):
        rz.player("heuristic:weights=lost.yaml").think(MONSTER.start())


def test_the_core_checks_their_number() -> None:
    """The core refuses a wrong number of weights, in heuristic() and in players."""
    for game, words in (("monster", "has 22 tunable weights, not 1"), ("razzle", "no tunable")):
        state = samples.game(game).start()
        with pytest.raises(rz.PlayerError, match=words):
            heuristic(state, [0.1])
        with pytest.raises(rz.PlayerError, match=words):
            Pool(state.game, [CorePlayer("heuristic", {}, weights=[0.1])], [], 0, 1, 0)


def played(path: Path, workers: int = 1) -> list[Record]:
    """Games of a player with these weights against one with the defaults, by index."""
    text = f"heuristic:weights={path},temperature=0.5"
    task = Task(game="monster", a=text, b="heuristic:temperature=0.5", games=4, seed=3)
    return sorted((each.record for each in run(task, workers=workers)), key=lambda r: r.index)


def test_records_tell_contents_of_one_name_apart(tmp_path: Path) -> None:
    """The identity in records is the file's name and a digest of its weights."""
    path = write(tmp_path, OTHER)
    first = played(path)
    assert played(path, workers=2) == first
    assert first[0].players[0] == f"heuristic:weights={path},temperature=0.5"
    (identity,) = {record.nets[record.index % 2] for record in first}
    assert {record.nets[1 - record.index % 2] for record in first} == {None}
    assert identity is not None
    assert identity.startswith("mine.yaml#")
    assert len(identity) == len("mine.yaml#") + 12
    write(tmp_path, "# the same\nfree_capture: -0.250\nwhite_pawn: 0.5\nbarrier: 0.12\n")
    assert played(path) == first
    write(tmp_path, OTHER.replace("0.5", "0.6"))
    other = weights_of(rz.player("heuristic", weights=str(path)), MONSTER)
    assert other.identity != identity
    assert [record.players for record in played(path)] == [record.players for record in first]
    assert {record.nets[record.index % 2] for record in played(path)} == {other.identity}


def test_a_run_checks_them_first(tmp_path: Path) -> None:
    """Wrong weight files are refused before the run's folder is made."""
    path = write(tmp_path, "pawn: 1")
    changes = [f"anchor.opponent=heuristic:weights={path}"]
    with pytest.raises(rz.PlayerError, match=r"mine\.yaml:1: key 'pawn' is unknown"):
        runs.train("monster", "tiny", tmp_path / "run", changes=changes)
    with pytest.raises(rz.PlayerError, match="connect4 has no tunable weights"):
        runs.train("connect4", "tiny", tmp_path / "run", changes=changes)
    assert not (tmp_path / "run").exists()


def test_the_command_line_lists_weights(tmp_path: Path) -> None:
    """`rulezero games GAME` prints them with the rule options; `match` refuses unusable ones."""
    rows = [" ".join(line.split()) for line in succeeds("games", "monster").splitlines()]
    for each in MONSTER.facts.weights:
        assert f"{each.name} {each.fallback:g} {each.help}" in rows
    assert "exchange has no tunable weights" in succeeds("games", "exchange")
    assert "exchange:dice= " in succeeds("games", "exchange")
    assert "there is no game 'monstr'" in fails("games", "monstr")
    weights = f"heuristic:weights={write(tmp_path, OTHER)}"
    assert "no tunable weights" in fails("match", "razzle", "--a", weights, "--b", "random")
