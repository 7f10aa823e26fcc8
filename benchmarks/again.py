"""Measures how well playing games again tells cheats from honest machines of another kind.

A small net is trained. Games of self-play with it are retraced under the differences that honest
machines have (another library, int8, other roundings), and games of cheats as their task says. The
table has the medians and the largest distances, and the share of the games that each set of limits
in fleet/again.py finds to be different: of honest games, these are false alarms.
"""

import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch

import rulezero as rz
from rulezero.data import Record, pack
from rulezero.data.thoughts import PLY_COLUMNS
from rulezero.fleet.again import Again, play_all_again
from rulezero.fleet.canaries import apart, canaries
from rulezero.fleet.distances import FLOAT, ROUGH, Limits, beyond
from rulezero.fleet.local import run
from rulezero.nets.checkpoint import load, save
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.players import read_player
from rulezero.play.resign import Resign
from rulezero.play.table import Finished
from rulezero.play.task import Task

BOOTSTRAP = {
    "a": "puct:sims=100,noise=0.25,alpha_total=10,temperature=1,temperature_turns=6",
    "games": 200,
    "opening": 4,
    "opening_share": 0.5,
}
RECIPES: dict[str, dict[str, Any]] = {  # changes of the preset small, so that a minute is enough
    "connect4": {"iterations": 16, "selfplay.games": 128},
    "razzle": {"iterations": 5, "selfplay.games": 64, "bootstrap": [BOOTSTRAP]},
}
NET = {"net.blocks": 2, "net.channels": 16}
PLAYERS = [
    "puct:net={},sims=48,noise=0.25,temperature=1,temperature_turns=12,full_share=0.4,fast_sims=12",
    "gumbel:net={},sims=16,gumbel_scale=1",
]
RESIGN = Resign(value=0.9, choices=2, audit=0.2)


class Sample(NamedTuple):
    """Games, and how they are checked."""

    task: Task
    games: list[Finished]
    nets: NetStore = PATHS


class Setting(NamedTuple):
    """What a machine or a cheat starts from."""

    task: Task
    games: list[Finished]  # played as the task says
    game: rz.Game
    net: Path
    older: Path  # the net of the iteration before
    folder: Path


def with_keys(task: Task, **keys: str) -> Task:
    """The task with other keys of its players."""
    texts = [read_player(text).changed(**keys).text for text in (task.a, task.b)]
    return msgspec.structs.replace(task, a=texts[0], b=texts[1])


def disturbed(setting: Setting, change: Callable[[torch.Tensor], torch.Tensor]) -> Sample:
    """The games, checked with a net whose weights were changed."""
    tower = load(setting.net, setting.game)
    with torch.no_grad():
        for weights in tower.parameters():
            weights.copy_(change(weights))
    path = save(setting.folder / "disturbed", tower, setting.game)
    return Sample(setting.task, setting.games, NetStore(copies={str(setting.net): path}))


def by_factor(size: float) -> Callable[[Setting], Sample]:
    """Weights that differ by this relative size."""
    return lambda setting: disturbed(
        setting, lambda weights: weights * (1 + size * torch.randn_like(weights))
    )


def in_bfloat16(setting: Setting) -> Sample:
    """Weights rounded to bfloat16."""
    return disturbed(setting, lambda weights: weights.bfloat16().float())


def checked(**keys: str) -> Callable[[Setting], Sample]:
    """The games, checked with other keys of the players."""
    return lambda setting: Sample(with_keys(setting.task, **keys), setting.games)


def played(**keys: str) -> Callable[[Setting], Sample]:
    """Games that were played with other keys than the task's."""
    return lambda setting: Sample(setting.task, list(run(with_keys(setting.task, **keys))))


def fewer(setting: Setting) -> Sample:
    """Games with half of the simulations."""
    player = read_player(setting.task.a)
    keys = {"sims": str(int(player.number("sims")) // 2)}
    if player.has("full_share") and player.number("full_share") < 1:
        keys["fast_sims"] = str(int(player.number("fast_sims")) // 2)
    return played(**keys)(setting)


def older_net(setting: Setting) -> Sample:
    """Games with the net of the iteration before."""
    return played(net=str(setting.older))(setting)


Weights = dict[int, float]
Forger = Callable[[list[int], Weights, Weights, random.Random], Weights]  # legal, own, last


def forged(forge: Forger) -> Callable[[Setting], Sample]:
    """The games with other policies; a forger gets the legal actions, and the weights of the ply
    and of the last one."""

    def sample(setting: Setting) -> Sample:
        dice = random.Random(0)
        games = [
            msgspec.structs.replace(each, record=_forged(each.record, setting.game, forge, dice))
            for each in setting.games
        ]
        return Sample(setting.task, games)

    return sample


def _forged(record: Record, game: rz.Game, forge: Forger, dice: random.Random) -> Record:
    columns = record.columns()
    counts, actions, weights = [], list[int](), list[float]()
    last: Weights = {}
    state = game.parse(record.start)
    for ply, action in enumerate(columns.actions.tolist()):
        named, numbers, _ = columns.pairs(ply)
        own = dict(zip(named, map(float, numbers), strict=True))
        made = forge(state.legal, own, last, dice) if own else {}
        last = own or last
        counts.append(len(made))
        actions += made
        weights += made.values()
        state = state.apply(action)
    _, thoughts = pack(
        columns.actions,
        counts=counts,
        pair_actions=actions,
        pair_weights=weights,
        **{column.name: getattr(columns, column.name) for column in PLY_COLUMNS},
    )
    return msgspec.structs.replace(record, thoughts=thoughts)


def at_random(legal: list[int], own: Weights, _: Weights, dice: random.Random) -> Weights:
    """As many visits, at random."""
    drawn = dice.choices(legal, [dice.expovariate(1) for _ in legal], k=round(sum(own.values())))
    return {action: float(drawn.count(action)) for action in set(drawn)}


def copied(legal: list[int], own: Weights, last: Weights, _: random.Random) -> Weights:
    """The visits of the last policy in the game, on the legal actions in their order."""
    if not last:
        return own
    visits = [*last.values()][: len(legal)]
    return dict(zip(legal, visits, strict=False))


def doubled(_: list[int], own: Weights, last: Weights, dice: random.Random) -> Weights:
    """Twice the visits."""
    return {action: 2 * weight for action, weight in own.items()}


def fewer_doubled(setting: Setting) -> Sample:
    """Games with half of the simulations, and twice their visits."""
    games = fewer(setting).games
    return forged(doubled)(setting._replace(games=games))


def given_up(setting: Setting) -> Sample:
    """Games that are cut in the middle, where the mover is said to have resigned."""
    games = []
    for each in setting.games:
        record = each.record
        columns = record.columns()
        plies = max(record.opening, record.plies // 2)
        state = setting.game.replay(record.start, columns.actions[:plies].tolist())
        if state.mover not in (0, 1):
            continue
        pairs = slice(0, columns.offsets[plies])
        actions, thoughts = pack(
            columns.actions[:plies],
            counts=np.diff(columns.offsets[: plies + 1]),
            pair_actions=columns.pair_actions[pairs],
            pair_weights=columns.pair_weights[pairs],
            pair_targets=columns.pair_targets[pairs],
            **{column.name: getattr(columns, column.name)[:plies] for column in PLY_COLUMNS},
        )
        cut = msgspec.structs.replace(
            record,
            actions=actions,
            thoughts=thoughts,
            outcome=2.0 * state.mover - 1,
            end_reason="resigned",
        )
        games.append(msgspec.structs.replace(each, record=cut))
    return Sample(setting.task, games)


HONEST: dict[str, Callable[[Setting], Sample]] = {
    "the same machine": checked(),
    "torch": checked(backend="torch"),
    "weights * (1 +- 1e-5)": by_factor(1e-5),
    "weights * (1 +- 1e-3)": by_factor(1e-3),
    "weights in bfloat16": in_bfloat16,
}
OTHERWISE: dict[str, Callable[[Setting], Sample]] = {  # why it is checked as it was played
    "fp32 checked by int8": checked(precision="int8"),
}
CHEATS: dict[str, Callable[[Setting], Sample]] = {
    "half the simulations": fewer,
    "the same, visits doubled": fewer_doubled,
    "the net before": older_net,
    "random policies": forged(at_random),
    "copied policies": forged(copied),
    "false resignations": given_up,
}
PUCT_OTHERWISE = {"checked without reused trees": checked(reuse="false")}
PUCT_CHEATS = {"no noise": played(noise="0"), "random choices": played(temperature="100")}


def row(name: str, sample: Sample) -> str:
    """A row of the table."""
    found = play_all_again(sample.task, sample.games, sample.nets, same_machine=False)
    distances = [each.distances for each in found if each.distances is not None]
    cells = []
    for field in Limits._fields:
        numbers = [getattr(each, field) for each in distances] or [0.0]
        cells.append(
            f"{np.median(numbers):6.3f} {np.quantile(numbers, 0.99):6.3f} {max(numbers):6.3f}"
        )
    undecided = 100 * np.mean([each.verdict == "undecided" for each in found])
    shares = [
        f"{100 * np.mean([is_found(each, limits) for each in found]):6.1f}"
        for limits in (FLOAT, ROUGH)
    ]
    return f"  {name:28} {len(found):5} {undecided:6.1f} {' '.join(shares)}  {'  '.join(cells)}"


def is_found(again: Again, limits: Limits) -> bool:
    """Whether a game is different by these limits."""
    if again.distances is None:
        return again.verdict == "different"
    is_other = again.verdict == "different" and beyond(again.distances, FLOAT) is None
    return is_other or beyond(again.distances, limits) is not None


def show_canaries(setting: Setting) -> None:
    """Prints how far the outputs of nets are from the canaries."""
    net = str(setting.net)
    given = canaries(net, {}, PATHS)
    print(" canaries: mean distances of policies and values")
    for name, options in {
        "torch": {"backend": "torch"},
        "int8": {"precision": "int8"},
    }.items():
        others = [msgspec.structs.replace(canary, options=options) for canary in given]
        print(f"  {name:28} {'{:.5f} {:.5f}'.format(*apart(others, net, PATHS))}")
    for name, make in HONEST.items():
        if name.startswith("weights"):
            print(f"  {name:28} {'{:.5f} {:.5f}'.format(*apart(given, net, make(setting).nets))}")
    older = NetStore(copies={net: setting.older})
    print(f"  {'the net before':28} {'{:.5f} {:.5f}'.format(*apart(given, net, older))}")


def measure(text: str, folder: Path, count: int) -> None:
    """Prints the table of a game."""
    runs = folder / text
    if not runs.exists():
        changes = RECIPES[text] | NET
        rz.train(text, "small", runs, changes=changes, workers=1, progress=False)
    last = RECIPES[text]["iterations"]
    net, older = (runs / "nets" / f"iter_{number}" for number in (last, last - 1))
    game = rz.load(text)
    for number, form in enumerate(PLAYERS):
        player = form.format(net)
        task = Task(game=text, a=player, b=player, games=count, seed=3, opening=2, resign=RESIGN)
        setting = Setting(task, list(run(task)), game, net, older, folder / "nets")
        otherwise, cheats = OTHERWISE, CHEATS
        if player.startswith("puct"):
            otherwise, cheats = OTHERWISE | PUCT_OTHERWISE, CHEATS | PUCT_CHEATS
        if number == 0:
            print(text)
            show_canaries(setting)
        print(f"{text}, {form.format('NET')}")
        for title, kinds in (
            ("honest", HONEST),
            ("honest, but checked otherwise", otherwise),
            ("cheats", cheats),
        ):
            print(f" {title}")
            for name, make in kinds.items():
                try:
                    print(row(name, make(setting)), flush=True)
                except rz.NetError as error:
                    print(f"  {name:28} {error}")


def main(texts: Sequence[str], count: int = 200) -> None:
    """Prints the tables."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    print("% of games that are undecided, and that are different by the limits FLOAT and ROUGH;")
    print("distances of games: median, 99 % and largest.")
    print(f"{'':31}games  undec  FLOAT  ROUGH  {'policy':22}{'value':22}{'net':22}choices")
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        for text in texts:
            measure(text, Path(folder), count)


if __name__ == "__main__":
    main(sys.argv[1:] or list(RECIPES))
