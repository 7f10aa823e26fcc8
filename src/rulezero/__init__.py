"""rulezero: AlphaZero for games that bend the rules.

import rulezero as rz

state = rz.load("connect4").start()
state = state.apply(state.read("d"))
"""

from rulezero import interrupts as interrupts  # isort: skip  # first: it guards other imports
from rulezero import (
    config,
    contest,
    data,
    endgame,
    flags,
    fleets,
    nets,
    play,
    reports,
    runs,
    stats,
    steps,
)
from rulezero._core import (
    CHANCE,
    Facts,
    Game,
    GameError,
    MoveError,
    NetError,
    PlayerError,
    PositionError,
    RulezeroError,
    State,
    game_options,
    heuristic,
)
from rulezero.config import load as experiment
from rulezero.contest.ladder import ladder
from rulezero.contest.match import Match, MatchInterrupted, match
from rulezero.data import Record, RecordError, Store, arrays, records
from rulezero.endgame import TableError
from rulezero.errors import RunError, nearest
from rulezero.fleet.protocol import FleetError
from rulezero.fleets import Token, serve, work
from rulezero.games import PiecesError, PythonGame, game_names, load, pieces, register, view
from rulezero.games.check import GameCheck, check_game
from rulezero.games.info import info, moves_by_kind
from rulezero.games.paths import perft
from rulezero.games.picture import svg
from rulezero.learn.measures import Measures
from rulezero.learn.terms import loss_term
from rulezero.machine import cores
from rulezero.nets.module import load_weights, save_net
from rulezero.play.evaluators import Evaluation, Evaluator
from rulezero.play.net import net
from rulezero.play.players import Player
from rulezero.play.players import read_player as player
from rulezero.play.speed import measure as bench
from rulezero.play.thought import Thought
from rulezero.play.tree import TreeNode
from rulezero.reports.cost.offers import PricesError
from rulezero.reports.cost.plan import plan as cost
from rulezero.reports.diagnosis import diagnose
from rulezero.reports.page import write_report as report
from rulezero.reports.standings import rate
from rulezero.runs import open_run, resume, train
from rulezero.stats.tally import RatingError
from rulezero.steps import fit, generate, judge
from rulezero.training import log, regimes
from rulezero.training.experiment import Experiment
from rulezero.training.games.exchange import TARGETS as USAGE_TARGETS
from rulezero.training.games.figures import GameFigures
from rulezero.training.listener import Listener
from rulezero.training.run import Run
from rulezero.version import __version__
from rulezero.web import serve_page

__all__ = [  # noqa: RUF022
    # games and their rules
    "CHANCE", "Facts", "Game", "GameCheck", "PythonGame", "State", "check_game", "game_names",
    "game_options", "heuristic", "info", "load", "moves_by_kind", "perft", "pieces", "register",
    "svg", "view",
    # players, matches and records
    "Evaluation", "Evaluator", "Match", "Player", "Record", "Store", "Thought", "TreeNode", "bench",
    "contest", "data", "endgame", "load_weights", "match", "net", "nets", "play", "player",
    "records", "save_net", "seat", "stats",
    # training and its results
    "Experiment", "GameFigures", "Listener", "Measures", "Run", "USAGE_TARGETS", "arrays", "config",
    "cost", "diagnose", "experiment", "fit", "flags", "generate", "judge", "ladder", "log",
    "loss_term", "open_run", "rate", "regimes", "report", "reports", "resume", "runs", "steps",
    "train",
    # fleets of several machines
    "Token", "fleets", "serve", "work",
    # the page
    "serve_page",
    # errors, and other things
    "FleetError", "GameError", "MatchInterrupted", "MoveError", "NetError", "PiecesError",
    "PlayerError", "PositionError", "PricesError", "RatingError", "RecordError", "RulezeroError",
    "RunError", "TableError", "__version__", "cores", "nearest",
]  # fmt: skip

open = open_run  # noqa: A001  # not in __all__: Python has a function of that name
seat = player  # deprecated: the former name of rz.player
