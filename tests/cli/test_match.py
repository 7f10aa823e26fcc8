"""`rulezero match`: the same games and figures as rz.match, as text or JSON."""

import json
import re
import signal
import time
from pathlib import Path

import msgspec

import rulezero as rz
from rulezero.contest.report import Report
from rulezero.data import Store
from support.commands import begin, fails, run, succeeds

_CLOCK = ("seconds", "games_per_second", "simulations_per_second")


def told(report: Report) -> dict[str, object]:
    """The report's JSON as a dict, without the figures that depend on the clock."""
    return timeless(msgspec.json.encode(report).decode())


def timeless(text: str) -> dict[str, object]:
    figures = json.loads(text)
    return {name: figure for name, figure in figures.items() if name not in _CLOCK}


def test_the_command_and_the_function_agree(tmp_path: Path) -> None:
    """`rulezero match` and rz.match give the same figures and the same records."""
    starts = tmp_path / "starts.txt"
    starts.write_text("7/7/7/7/7/3X3 o\n7/7/7/7/3O3/3X3 x\n")
    store = tmp_path / "store"
    output = succeeds(
        "match", "connect4", "--a", "puct:sims=12", "--b", "gumbel:sims=8", "--games", "20",
        "--seed", "7", "--opening", "2", "--starts", starts, "--judge", "heuristic",
        "--save", store, "--sprt", "0,500", "--json",
    )  # fmt: skip
    match = rz.match(
        "connect4",
        a="puct:sims=12",
        b="gumbel:sims=8",
        games=20,
        seed=7,
        opening=2,
        starts=["7/7/7/7/7/3X3 o", "7/7/7/7/3O3/3X3 x"],
        judge="heuristic",
        save=tmp_path / "other",
        sprt=(0, 500),
    )
    assert timeless(output) == told(Report.of(match, saved=str(store)))
    assert sorted(Store(store), key=lambda record: record.index) == match.records
    assert len(list(Store(store).notes())) == match.tally.games

    alone = ["match", "connect4", "--a", "puct:sims=12", "--b", "random", "--games", "6"]
    output = succeeds(*alone, "--no-swap", "--workers", "0", "--json")
    match = rz.match("connect4", "puct:sims=12", "random", 6, swap=False)
    assert timeless(output) == told(Report.of(match))


def test_a_report_in_words(tmp_path: Path) -> None:
    """Prints players, Elo, scores by seat, pairs, end reasons, lengths, speed and the store."""
    arguments = ["match", "chess", "--a", "gumbel:sims=8", "--b", "random", "--games", "20"]
    output = succeeds(*arguments, "--save", tmp_path, "--sprt", "0,50")
    report = Report.of(rz.match("chess", "gumbel:sims=8", "random", 20))
    lines = output.splitlines()
    assert lines[:3] == ["chess: 20 games", "a           gumbel:sims=8", "b           random"]
    assert f"Elo of a    {report.elo.text}" in lines
    total = report.total
    assert f": {total.wins} won, {total.draws} drawn, {total.losses} lost" in output
    for words in ("stronger one", "SPRT        undecided", "first seat  White scored", "games/s"):
        assert words in output
    rows = [line.split() for line in lines]
    for name, line in zip(("White", "Black"), report.by_seat, strict=True):
        lower, upper = (f"{100 * bound:.1f}" for bound in line.interval)
        score = [f"{100 * line.score:.1f}", "%", lower, "to", upper, "%"]
        counts = (line.games, line.wins, line.draws, line.losses)
        assert [name, *map(str, counts), *score] in rows
    assert ["pairs", *map(str, report.pairs)] in rows
    wins, draws = lines.index("won by     games  a won  b won"), output.find("drawn by")
    assert wins > 0
    for cause, line in report.ends.items():
        is_draw = line.draws > 0
        assert (output.find(f"\n{cause} ") > draws > 0) == is_draw
    plies = report.plies
    assert f"{plies.mean:.1f} a game, from {plies.shortest} to {plies.longest}" in output
    assert f"saved       20 games in {tmp_path}" in lines
    assert "\x1b" not in output


def test_seats_are_called_as_the_game_calls_them() -> None:
    """Seats have the game's own names, such as X and O in connect4."""
    output = succeeds("match", "connect4", "--a", "random", "--b", "random", "--games", "2")
    assert "\nX              1 " in output
    assert "\nO              1 " in output
    plain = run(
        "match", "connect4", "--a", "random", "--b", "random", "--games", "1",
        PYTHONIOENCODING="ascii",
    )  # fmt: skip
    assert plain.returncode == 0
    assert plain.stdout.startswith("connect4: 1 game\n")


def test_wrong_input_is_one_line(tmp_path: Path) -> None:
    """The error is one line, and no file is made or overwritten."""
    mine = tmp_path / "mine"
    mine.write_text("mine")
    starts = tmp_path / "starts.txt"
    starts.write_text("7/7/7/7/7/7 x\nnonsense\n")
    store = tmp_path / "store"
    fine = {"--a": "random", "--b": "random", "--games": "2", "--save": str(store)}
    for changes, words in [
        ({"--a": "nobody"}, "there is no player 'nobody'"),
        ({"--b": "puct:sim=3"}, "did you mean 'sims'"),
        ({"--a": "puct:sims=none"}, "sims"),
        ({"--a": "puct:net=nowhere"}, "nowhere"),
        ({"--a": "human"}, "rulezero play"),
        ({"--judge": "nobody"}, "there is no player 'nobody'"),
        (
            {"--opening": "1001"},
            "opening is 1001: expected `int` <= 1000",
        ),
        ({"--games": "0"}, "--games"),
        ({"--games": "many"}, "--games"),
        ({"--workers": "-1"}, "--workers"),
        ({"--opening": "-1"}, "--opening"),
        ({"--seed": "-1"}, "--seed"),
        ({"--seed": str(1 << 64)}, "2**64"),
        ({"--sprt": "5"}, "ELO0,ELO1"),
        ({"--sprt": "5,0"}, "elo0 below elo1"),
        ({"--starts": str(tmp_path / "nowhere")}, "there is no file of positions"),
        ({"--starts": str(starts)}, "starts.txt:2: "),
        ({"--save": str(mine)}, "a store is a folder"),
        ({"--save": ""}, "a store needs a name"),
    ]:
        options = [word for pair in {**fine, **changes}.items() for word in pair]
        assert words in fails("match", "connect4", *options)
    assert "did you mean 'connect4'" in fails("match", "conect4", "--a", "random", "--b", "random")
    assert "--b" in fails("match", "connect4", "--a", "random")
    assert mine.read_text() == "mine"
    assert not store.exists()


def test_ctrl_c_reports_what_was_played(tmp_path: Path) -> None:
    """Exit code 130; the store has the reported number of games, with one worker and with two."""
    for workers in ("1", "2"):
        store = tmp_path / workers
        with begin(
            "match", "razzle", "--a", "gumbel:sims=16", "--b", "random", "--games", "100000",
            "--workers", workers, "--save", store, "--json",
        ) as process:  # fmt: skip
            while not len(Store(store, tolerant=True)):
                assert process.poll() is None
                time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (130, "")
        report = json.loads(output)
        assert report["is_interrupted"]
        assert 0 < report["total"]["games"] == len(Store(store))


def test_ctrl_c_in_words(tmp_path: Path) -> None:
    """Ctrl-C prints how many games were finished, even if there are none."""
    with begin(
        "match", "chess", "--a", "puct:sims=2000", "--b", "puct:sims=2000", "--games", "10",
        "--save", tmp_path / "store",
    ) as process:  # fmt: skip
        while not (tmp_path / "store").exists():
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    (finished,) = re.findall(r"chess: (\d) games? of 10, interrupted\n", output)
    store = tmp_path / "store"  # it goes if no game was finished
    assert int(finished) == (len(Store(store)) if store.exists() else 0) < 10


def test_games_that_a_store_has_are_not_new(tmp_path: Path) -> None:
    """A longer match with the same seed plays only the missing games, and says how many are new."""
    arguments = ["match", "connect4", "--a", "random", "--b", "random", "--save", str(tmp_path)]
    output = succeeds(*arguments, "--games", "4")
    assert output.splitlines()[-1].split(maxsplit=1)[1] == f"4 games in {tmp_path}"
    output = succeeds(*arguments, "--games", "6")
    assert f"6 games in {tmp_path}, 2 of them new" in output
    assert len(rz.Store(tmp_path)) == 6
