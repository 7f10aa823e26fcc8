"""`rulezero data`: the summary of a store, and its games as arrays and other file formats."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
import typer

import rulezero as rz
from rulezero.cli.training.data import read_split, say_counts
from rulezero.data import Record, Store, arrays, export, import_file
from rulezero.data.arrays import ArrayOptions, split_of, survey
from rulezero.data.summary import Summary, summarise
from rulezero.learn.batch import Batches
from rulezero.learn.window import Window, take
from support import people, record_samples
from support.commands import fails, run, succeeds

RESULTS = [(1.0, "four"), (-1.0, "four"), (0.0, "full board"), (1.0, "four")]


def saved(folder: Path, *records: Record) -> Path:
    with Store(folder) as store:
        for record in records:
            store.add(record)
    return folder


def told(**fields: object) -> list[Record]:
    """Four games of connect4, of generations 1 and 2, with the made-up results in RESULTS."""
    return [
        record_samples.made(
            "connect4", seed, seed, task="x", iteration=1 + seed // 2, outcome=outcome,
            end_reason=why, **fields,
        )
        for seed, (outcome, why) in enumerate(RESULTS)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with the records of two games."""
    run = tmp_path_factory.mktemp("run")
    other = record_samples.made("razzle", purpose="rating", source="train", task="r")
    saved(run / "records", *record_samples.several("connect4", 6), other)
    return run


def test_a_summary_in_a_pipe(tmp_path: Path) -> None:
    """In a pipe, tables are aligned, with a line for each end reason and each generation."""
    store = saved(tmp_path / "games", *told())
    (found,) = summarise(Store(store))
    rows = [(each.number, each) for each in found.generations]
    values = [f"{each.values.mean:+.3f}   {each.values.spread:.3f}" for _, each in rows]
    values.append(f"{found.values.mean:+.3f}   {found.values.spread:.3f}")
    plies = [each.plies for _, each in rows]
    assert succeeds("data", "summary", store) == "\n".join(
        [
            f"connect4: 4 games, {found.plies} plies",
            "purposes  self-play 4",
            "sources   match 4",
            "",
            "ended by    games  seat 0 wins  draws  seat 1 wins",
            "four            3            2      0            1",
            "full board      1            0      1            0",
            "all             4            2      1            1",
            "",
            "generation  games  plies  seat 0  draws  seat 1   value  spread",
            f"         1      2     {plies[0]}       1      0       1  {values[0]}",
            f"         2      2     {plies[1]}       1      1       0  {values[1]}",
            f"       all      4     {found.plies}       2      1       1  {values[2]}",
            "",
        ]
    )


def test_a_summary_of_a_run_in_json(mixed: Path) -> None:
    """--json prints a line with an object for each game; a file of records gives the same."""
    lines = succeeds("data", "summary", mixed, "--json").splitlines()
    found = [msgspec.json.decode(line, type=Summary) for line in lines]
    assert found == summarise(Store(mixed / "records"))
    assert [each.game for each in found] == ["connect4", "razzle"]
    (only,) = succeeds("data", "summary", mixed, "--json", "--purpose", "rating").splitlines()
    assert json.loads(only)["game"] == "razzle"
    assert "\n\nrazzle: 1 game, " in succeeds("data", "summary", mixed)
    export(Store(mixed / "records"), mixed / "games.jsonl")
    assert succeeds("data", "summary", mixed / "games.jsonl", "--json").splitlines() == lines


def test_damage_is_a_line_for_each_file(tmp_path: Path) -> None:
    """Each damaged file is a line on stderr; the undamaged games are still summarised."""
    for number in range(2):
        saved(
            tmp_path, *(record_samples.made("connect4", s, s, task=str(number)) for s in range(6))
        )
    for shard in tmp_path.iterdir():
        content = bytearray(shard.read_bytes())
        for part in (1, 2, 3):
            content[part * len(content) // 4] ^= 255
        shard.write_bytes(content)
    result = run("data", "summary", tmp_path)
    assert result.returncode == 0
    lines = result.stderr.splitlines()
    assert [line.split(":")[2].strip() for line in lines] == sorted(map(str, tmp_path.iterdir()))
    assert all("damaged" in line and "more places of this file)" in line for line in lines)
    assert result.stdout.startswith("connect4: ")
    assert not result.stdout.startswith("connect4: 12 games")


def test_process_writes_what_the_function_does(mixed: Path, tmp_path: Path) -> None:
    """`data process` writes the same files as arrays.write, and prints a line for each split."""
    out = tmp_path / "out"
    records = list(Store(mixed / "records").select(game="connect4"))
    every = (ArrayOptions(seed=seed, split=(50.0, 25.0, 25.0)) for seed in range(99))
    chosen = next(o for o in every if len({split_of(r.moves_id, o) for r in records}) == 3)
    options = ["--game", "connect4", "--split", "50/25/25", "--seed", str(chosen.seed)]
    shown = succeeds("data", "process", mixed, "--to", out, *options).splitlines()
    meta = arrays.write(records, survey(records), tmp_path / "again", chosen)
    for path in (tmp_path / "again").iterdir():
        assert (out / path.name).read_bytes() == path.read_bytes(), path.name
    assert shown[0] == (
        f"{out}: {meta.positions} positions, {meta.mirrored} of them mirrored,"
        " of 6 games of connect4"
    )
    assert shown[1].split() == ["split", "games", "positions"]
    parts = [[name, str(p.games), str(p.positions)] for name, p in meta.splits.items()]
    assert [line.split() for line in shown[2:]] == parts

    plain = tmp_path / "plain"
    result = run("data", "process", mixed, "--to", plain, "--game", "razzle", "--no-augment")
    assert "mirrored" not in result.stdout
    assert len(np.load(plain / "positions.npy")) == record_samples.made("razzle").plies
    empty = [name for name in arrays.SPLITS if not len(np.load(plain / "splits.npz")[name])]
    assert [line.split("'")[1] for line in result.stderr.splitlines()] == empty
    assert "warning: no game fell to 'test': take more games, or another --seed" in result.stderr


def test_process_tells_of_what_is_in_the_way(mixed: Path, tmp_path: Path) -> None:
    """Warns about a killed process's unfinished folder and about records that break the rules."""
    (tmp_path / "out.1234.half").mkdir()
    bad, good = told()[2:4]
    store = saved(tmp_path / "store", good, bad)
    result = run("data", "process", store, "--to", tmp_path / "out", "--split", "100/0/0")
    first, second = result.stderr.splitlines()
    assert f"record {bad.id} is left out: at ply " in first
    assert f"'{tmp_path / 'out.1234.half'}' is unfinished: delete it, unless" in second
    assert "of 1 game of connect4" in result.stdout
    assert (tmp_path / "out" / "meta.json").is_file()


def test_export_and_back(mixed: Path, tmp_path: Path) -> None:
    """JSON lines give the same records; .npz holds one game; --purpose may be repeated."""
    both = ["--purpose", "rating", "--purpose", "self-play"]
    assert succeeds("data", "export", mixed, "--to", tmp_path / "a.jsonl", *both) == (
        f"7 games in {tmp_path / 'a.jsonl'}\n"
    )
    assert list(import_file(tmp_path / "a.jsonl")) == list(Store(mixed / "records"))
    few = ["--purpose", "rating", "--source", "train"]
    assert succeeds("data", "export", mixed, "--to", tmp_path / "b.npz", *few).startswith("1 game ")
    with np.load(tmp_path / "b.npz", allow_pickle=False) as file:
        assert len(file["planes"]) == record_samples.made("razzle").plies
    store = saved(tmp_path / "chess", *record_samples.several("chess", 2))
    assert succeeds("data", "export", store, "--to", tmp_path / "c.pgn").startswith("2 games in ")
    again = list(import_file(tmp_path / "c.pgn"))
    assert [record.action_numbers().tolist() for record in again] == [
        record.action_numbers().tolist() for record in Store(store)
    ]


def test_wrong_input_is_one_line(mixed: Path, tmp_path: Path) -> None:
    """The error says what is wrong and what to do, and no file is left behind."""
    out, file = tmp_path / "out", tmp_path / "x.pgn"
    (tmp_path / "empty").mkdir()
    (tmp_path / "there.jsonl").write_text("mine")
    for verb in ("summary", "process", "export"):
        to = [] if verb == "summary" else ["--to", str(out if verb == "process" else file)]
        assert "there is no" in fails("data", verb, tmp_path / "nowhere", *to)
        assert "holds no games" in fails("data", verb, tmp_path / "empty", *to)
    assert "known: self-play, bootstrap" in fails("data", "summary", mixed, "--purpose", "x")
    message = fails("data", "process", mixed, "--to", out, "--purpose", "gate")
    assert "no record whose purpose is gate; it has self-play, rating" in message
    message = fails("data", "process", mixed, "--to", out, "--game", "chess")
    assert "no record whose game is chess; it has connect4, razzle" in message
    message = fails("data", "export", mixed, "--to", file, "--source", "y")
    assert "no record whose source is y; it has match, train" in message
    both = ["--game", "razzle", "--purpose", "self-play"]
    assert "passes all of --game, --purpose" in fails("data", "summary", mixed, *both)

    message = fails("data", "process", mixed, "--to", out)
    assert "here are connect4 (6), razzle (1): name one with --game" in message
    assert "name one with --game" in fails("data", "export", mixed, "--to", tmp_path / "x.npz")
    assert "choose another name" in fails("data", "process", mixed, "--to", tmp_path / "empty")
    there = tmp_path / "there.jsonl"
    assert "choose another name" in fails("data", "export", mixed, "--to", there)
    assert "there is no folder" in fails("data", "process", mixed, "--to", out / "in")
    assert "80/10/10" in fails("data", "process", mixed, "--to", out, "--split", "80/20")
    assert "--to" in fails("data", "process", mixed)
    assert ".jsonl or .pgn or .npz" in fails("data", "export", mixed, "--to", tmp_path / "x.csv")
    assert "write .jsonl instead" in fails("data", "export", mixed, "--to", file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "there.jsonl"]


def test_a_split_is_three_shares() -> None:
    """--split takes three numbers that sum to 100."""
    assert read_split("80/10/10") == (80, 10, 10)
    assert read_split("99.5/0.5/0") == (99.5, 0.5, 0)
    for text in (
        "",
        "80/20",
        "80/10/11",
        "-10/100/10",
        "a/b/c",
        "nan/50/50",
        "50/nan/50",
        "1/2/3/4",
    ):
        with pytest.raises(typer.BadParameter, match="three numbers that sum to 100"):
            read_split(text)


def test_counts_in_words() -> None:
    """Counts are listed by name; of more than five, only the first five are shown."""
    assert say_counts({"match": 1200, "human": 3}) == "match 1,200, human 3"
    many = {f"import:{number}": 1 for number in range(7)}
    assert say_counts(many).endswith("import:4 1 and 2 more")


def test_process_writes_what_a_fit_of_a_recipe_would_learn(tmp_path: Path) -> None:
    """With --recipe, the arrays have the fit's weights, plies, policies, values and results."""
    store = people.store(tmp_path / "games", 4, against="puct:sims=8")
    (noted, *_) = rz.records(store)
    states = [rz.load("connect4").parse(noted.start)]
    for action in noted.action_numbers().tolist():
        states.append(states[-1].apply(action))
    with Store(store) as kept:
        kept.add_note(noted.id, "x", record_samples.of(states).thoughts)
    changes = ["window.always.human=4", "targets.skip_plies=2", "targets.keep=0.8"]
    given = [word for change in changes for word in ("--set", change)]
    recipe = ["--recipe", "connect4", "--preset", "tiny", *given, "--no-augment"]
    succeeds("data", "process", store, "--to", tmp_path / "out", "--split", "100/0/0", *recipe)
    found = {path.stem: np.load(path) for path in (tmp_path / "out").glob("*.npy")}

    experiment = rz.experiment("connect4", "tiny", [*changes, "window.held_out=0"])
    window = Window(experiment.window)
    notes = {note.record: note.thoughts for note in Store(store).notes()}
    records = list(Store(store))
    take(window, records, rz.load("connect4"), experiment.targets_of, 0, notes)
    known = window.at(np.arange(len(window)))
    batches = Batches(window, rz.load("connect4"), settings=experiment.targets, mirrors=False)
    batch = batches.make(np.arange(len(window)))
    sign = np.where(found["movers"] == 1, -1, 1)
    np.testing.assert_array_equal(found["plies"], known.ply)
    np.testing.assert_array_equal(found["weights"], known.weight)
    np.testing.assert_array_equal(found["positions"], batch.planes)
    np.testing.assert_array_equal(found["policies"], batch.policy)
    np.testing.assert_array_equal(sign * found["mcts_values"], known.search)
    np.testing.assert_array_equal(sign * found["game_results"], known.result)
    assert set(found["weights"].tolist()) == {4}
    assert (found["plies"] >= 2).all()
    assert (found["policies"].sum(1) > 0.99).all()
    meta = json.loads((tmp_path / "out" / "meta.json").read_text())
    assert meta["options"]["recipe"] == f"connect4 tiny {' '.join(changes)}"

    succeeds("data", "process", store, "--to", tmp_path / "plain", "--split", "100/0/0")
    assert not (tmp_path / "plain" / "weights.npy").exists()
    assert (np.load(tmp_path / "plain" / "policies.npy").sum(1) == 0).any()


def test_a_recipe_of_process_that_does_not_fit(mixed: Path, tmp_path: Path) -> None:
    """A recipe that does not fit is an error; of several games, the recipe's game is written."""
    out = ["--to", str(tmp_path / "out")]
    for options, words in [
        (["--set", "fit.batch=3"], "name it with --recipe"),
        (["--recipe", "conect4"], "did you mean 'connect4'"),
        (["--recipe", "exchange"], "no record whose game is exchange"),
        (["--recipe", "connect4", "--game", "razzle"], "is for connect4, not for razzle"),
        (["--recipe", "distill"], "chess"),
    ]:
        assert words in fails("data", "process", mixed, *out, *options)
    chess = saved(tmp_path / "chess", record_samples.made("chess"))
    assert "learns while it plays" in fails("data", "process", chess, *out, "--recipe", "distill")
    said = run("data", "process", mixed, *out, "--recipe", "connect4").stdout
    assert "of 6 games of connect4" in said
