"""Games with one mistake each: a correct file, the change to it, and the expected message."""

from typing import NamedTuple

from support.rules_in_python import SOURCES


class Broken(NamedTuple):
    """A mistake in a copy of a correct file."""

    base: str
    old: str
    new: str
    method: str  # the method named in the message; "": the class
    words: str  # of the message
    is_warning: bool = False

    @property
    def source(self) -> str:
        """The text of the broken file."""
        assert self.old in SOURCES[self.base], self.old
        return SOURCES[self.base].replace(self.old, self.new)


_APPLY_HEAPS = "heaps, mover, passes = position\n        heaps = list(heaps)\n"
_APPLY_TTT = 'position[:action] + "xo"[self.mover(position)] + position[action + 1 :]'
_LEGAL_TTT = 'return [at for at in range(9) if position[at] == "-"]'
_SAY_TTT = 'return "abc"[action % 3] + "123"[action // 3]'
_CELLS_TTT = 'return [("", -1) if man == "-" else (man, "xo".index(man)) for man in position]'
_HEURISTIC = "return (position.steps[0] - position.steps[1]) / GOAL"
_EVENTS = "return [float(action in (1, 3)), float(action == 0)]"
_FULL = 'return None if "-" in position else (0, "full board")'
_ENCODED = "return np.array(planes, dtype=np.float32).reshape(2, 3, 3)"
_TEXT_HEAPS = "return f\"{''.join(map(str, heaps))} {mover} {passes}\""
_TEXT_RACE = 'return f"{position.steps[0]} {position.steps[1]} {seat} {doing}"'
_ENDING_HEAPS = """if not any(heaps):
            return (1 if mover else -1), "nothing left"
        return (0, "three passes") if passes == 3 else None"""
_LEGAL_HEAPS = "return [*takes, len(HEAPS) * MOST]"
_MIRROR = (
    'return "".join(drawing[at : at + SIDE][::-1] for at in range(0, SIDE * SIDE, SIDE)), mover'
)
_MIRROR_ACTION = "return action - action % SIDE + SIDE - 1 - action % SIDE"

BROKEN: dict[str, Broken] = {
    # the position is changed in place
    "apply works on the heaps themselves": Broken(
        "heaps",
        _APPLY_HEAPS,
        "heaps, mover, passes = position\n",
        "apply",
        "changes the position that it is given ('332 0 0' became",
    ),
    "apply changes the list and returns it": Broken(
        "heaps",
        "return [heaps, 1 - mover, passes + 1]",
        "position[1:] = [1 - mover, passes + 1]\n            return position",
        "apply",
        "changes the position that it is given",
    ),
    "legal sorts the heaps": Broken(
        "heaps",
        "takes = [",
        "position[0].sort()\n        takes = [",
        "legal",
        "changes the position that it is given ('332 0 0' became '233 0 0')",
    ),
    "encode counts in the position": Broken(
        "heaps",
        "heaps, _, passes = position\n",
        "heaps, _, passes = position\n        heaps[0] = 0\n",
        "encode",
        "changes the position that it is given",
    ),
    "ending takes from a heap": Broken(
        "heaps",
        "if not any(heaps):",
        "if heaps and heaps.pop() < 0:",
        "ending",
        "changes the position",
    ),
    # text() leaves something out, or parse() misreads
    "text without the passes": Broken(
        "heaps",
        _TEXT_HEAPS,
        "return f\"{''.join(map(str, heaps))} {mover} 0\"",
        "text",
        "leaves something out",
    ),
    "text without the mover": Broken(
        "heaps",
        _TEXT_HEAPS,
        "return f\"{''.join(map(str, heaps))} 0 {passes}\"",
        "text",
        "leaves something out",
    ),
    "text without the die": Broken(
        "race",
        _TEXT_RACE,
        'return f"{position.steps[0]} {position.steps[1]} {seat} moves"',
        "text",
        "leaves something out",
    ),
    "text without the owner of boxes": Broken(
        "dots",
        "return f\"{drawing} {'ab'[mover]}\"",
        "return f\"{drawing.replace('b', 'a')} {'ab'[mover]}\"",
        "text",
        "leaves something out",
    ),
    "parse forgets the passes": Broken(
        "heaps",
        "int(mover), int(passes)]",
        "int(mover), 0]",
        "parse",
        "does not give the position back",
    ),
    "parse turns the board": Broken(
        "tictactoe",
        "        return text\n",
        "        return text[::-1]\n",
        "parse",
        "does not give the position back",
    ),
    "parse refuses what play makes": Broken(
        "tictactoe",
        "not in (0, 1):",
        "!= 0:",
        "parse",
        "refuses",
    ),
    "text in two lines": Broken(
        "race",
        "{seat} {doing}",
        "{seat}\\n{doing}",
        "text",
        "must be one line",
    ),
    "text is empty": Broken(
        "tictactoe",
        "    def text(self, position):\n        return position",
        '    def text(self, position):\n        return position.strip("-")',
        "text",
        "gives ''",
    ),
    "text with a blank": Broken(
        "heaps",
        "{mover} {passes}",
        "{mover} {passes} ",
        "text",
        "without spaces",
    ),
    "text is a tuple": Broken(
        "heaps",
        _TEXT_HEAPS,
        "return heaps, mover, passes",
        "text",
        "must be text",
    ),
    # bad text
    "parse stumbles over nonsense": Broken(
        "heaps",
        'heaps, mover, passes = text.split(" ")',
        'heaps, mover, passes = (text.split(" ") + [None] * 3)[:3]',
        "parse",
        "raise a ValueError",
    ),
    "parse takes everything": Broken(
        "tictactoe",
        'if len(text) != 9 or not set(text) <= set("xo-"):',
        "if False:",
        "parse",
        "which is not a position",
    ),
    # move texts
    "say gives a text twice": Broken(
        "tictactoe",
        _SAY_TTT,
        'return "abc"[action % 3]',
        "say",
        "gives 'a' for action 0 and for action 3",
    ),
    "say gives nothing": Broken("tictactoe", _SAY_TTT, 'return ""', "say", "gives '' for action 0"),
    "say gives a number": Broken("tictactoe", _SAY_TTT, "return action", "say", "must be text"),
    "say gives blanks": Broken(
        "tictactoe",
        _SAY_TTT,
        'return f" {action} "',
        "say",
        "gives ' 0 ' for action 0",
    ),
    "say raises": Broken(
        "tictactoe",
        _SAY_TTT,
        'return "abc"[action // 3] + "12"[action % 3]',
        "say",
        "IndexError",
    ),
    # answers that differ
    "legal in a random order": Broken(
        "tictactoe",
        _LEGAL_TTT,
        "import random\n        return random.sample([at for at in range(9) if"
        ' position[at] == "-"], position.count("-"))',
        "legal",
        "when called again",
    ),
    "apply draws by chance": Broken(
        "race",
        "1: 1, 2: 4",
        "1: random.randrange(1, 4), 2: 4",
        "apply",
        "when called again",
    ),
    "start without its seed": Broken(
        "race",
        "random.Random(seed).randrange(2)",
        "random.randrange(2)",
        "start",
        "when called again",
    ),
    "encode with noise": Broken(
        "heaps",
        "planes[1] = passes / 3",
        "planes[1] = np.random.random()",
        "encode",
        "when called again",
    ),
    "mover counts its calls": Broken(
        "tictactoe",
        'return position.count("x") - position.count("o")',
        'self.calls = getattr(self, "calls", 0) + 1\n        return self.calls % 2',
        "mover",
        "when called again",
    ),
    "ending by chance": Broken(
        "tictactoe",
        _FULL,
        'import random\n        return None if "-" in position else'
        ' (random.choice([-1, 0, 1]), "full board")',
        "ending",
        "when called again",
    ),
    "heuristic of the mover by chance": Broken(
        "race",
        _HEURISTIC,
        "return random.random()",
        "heuristic",
        "when called again",
    ),
    # legal
    "legal is empty": Broken(
        "tictactoe",
        _LEGAL_TTT,
        'return [at for at in range(8) if position[at] == "-"]',
        "legal",
        "is empty",
    ),
    "legal names an action twice": Broken(
        "heaps",
        _LEGAL_HEAPS,
        "return [*takes, *takes, len(HEAPS) * MOST]",
        "legal",
        "twice",
    ),
    "legal names too large a number": Broken(
        "heaps",
        _LEGAL_HEAPS,
        "return [*takes, len(HEAPS) * MOST + 1]",
        "legal",
        "actions is 10",
    ),
    "legal is None": Broken(
        "tictactoe", _LEGAL_TTT, _LEGAL_TTT.replace("return ", ""), "legal", "must be a list"
    ),
    "legal gives squares as texts": Broken(
        "tictactoe", "return [at for at", "return [str(at) for at", "legal", "must be a list"
    ),
    "legal raises": Broken(
        "tictactoe", "at in range(9) if", "at in range(10) if", "legal", "IndexError"
    ),
    # slots
    "slot out of range": Broken(
        "race", "return action - 3", "return action - 2", "slot", "slots is 2"
    ),
    "slot is negative": Broken("race", "return action - 3", "return action - 4", "slot", "gave -1"),
    "slot is shared": Broken(
        "race",
        "return action - 3",
        "return 0",
        "slot",
        "gives 0 for action 3 and for action 4",
        True,
    ),
    "slots is smaller than actions": Broken(
        "tictactoe", "actions = slots = 9", "actions, slots = 9, 8", "slot", "slots is 8"
    ),
    # planes
    "planes of another shape": Broken(
        "tictactoe", _ENCODED, _ENCODED.replace("(2, 3, 3)", "(3, 3, 2)"), "encode", "float32 array"
    ),
    "planes of float64": Broken(
        "tictactoe",
        _ENCODED,
        _ENCODED.replace("np.float32", "np.float64"),
        "encode",
        "gives float64 numbers",
        True,
    ),
    "planes above 1": Broken(
        "heaps", "planes[1] = passes / 3", "planes[1] = passes", "encode", "outside [0, 1]"
    ),
    "planes below 0": Broken(
        "heaps",
        "planes[1] = passes / 3",
        "planes[1] = passes / 3 - 0.1",
        "encode",
        "outside [0, 1]",
    ),
    "planes with nan": Broken(
        "heaps", "planes[1] = passes / 3", "planes[1] = np.nan", "encode", "outside [0, 1]"
    ),
    "planes that say nothing": Broken(
        "tictactoe",
        _ENCODED,
        "return np.zeros((2, 3, 3), np.float32)",
        "encode",
        "cannot tell them apart",
        True,
    ),
    "planes without boxes taken": Broken(
        "dots",
        'letters = ("l", "ab"[mover], "ba"[mover])',
        'letters = ("a", "ab"[mover], "ba"[mover])',
        "encode",
        "cannot tell them apart",
        True,
    ),
    # dice
    "chances do not sum to 1": Broken(
        "race", "[0.25, 0.25, 0.5]", "[0.25, 0.25, 0.25]", "chances", "sum 1"
    ),
    "a chance is missing": Broken(
        "race", "[0.25, 0.25, 0.5]", "[0.5, 0.5]", "chances", "one probability per legal"
    ),
    "a chance is 0": Broken(
        "race", "[0.25, 0.25, 0.5]", "[0.0, 0.5, 0.5]", "chances", "gives 0 for action 0"
    ),
    "a chance is negative": Broken(
        "race", "[0.25, 0.25, 0.5]", "[-0.5, 1.0, 0.5]", "chances", "sum 1"
    ),
    "the die is not declared": Broken(
        "race", "    has_chance = True\n", "", "mover", "has_chance is False"
    ),
    "the die never rolls": Broken(
        "heaps",
        "max_plies = 60",
        "max_plies = 60\n    has_chance = True",
        "mover",
        "never gives CHANCE",
        True,
    ),
    # the end
    "an outcome of 2": Broken(
        "tictactoe", '("x", 1), ("o", -1)', '("x", 2), ("o", -1)', "ending", "outside [-1, 1]"
    ),
    "an outcome without a reason": Broken(
        "tictactoe", 'return outcome, "three"', 'return outcome, ""', "ending", "reason"
    ),
    "an outcome alone": Broken(
        "tictactoe",
        'return outcome, "three"',
        "return outcome",
        "ending",
        "None, or seat 0's outcome and a reason",
    ),
    "the game never ends": Broken("heaps", _ENDING_HEAPS, "return None", "ending", "ended none of"),
    "max_plies is too small": Broken(
        "tictactoe", "max_plies = 9", "max_plies = 7", "", "stopped at max_plies = 7", True
    ),
    "one seat always wins": Broken(
        "dots", "(lead > 0) - (lead < 0)", "1", "ending", "lets seat 0 win", True
    ),
    "every game is drawn": Broken(
        "tictactoe", '("x", 1), ("o", -1)', '("x", 0), ("o", 0)', "ending", "drawn", True
    ),
    # whose turn
    "a third seat": Broken(
        "heaps", "return position[1]\n", "return position[1] + 1\n", "mover", "0, 1 or CHANCE"
    ),
    "the mover is a name": Broken(
        "heaps", "return position[1]\n", 'return "ab"[position[1]]\n', "mover", "0, 1 or CHANCE"
    ),
    "seat 1 never moves": Broken(
        "heaps", "1 - mover", "mover", "mover", "never says that it is seat 1's turn", True
    ),
    "no choice": Broken(
        "heaps",
        _LEGAL_HEAPS,
        "return [*takes, len(HEAPS) * MOST][:1]",
        "legal",
        "never gives a choice",
        True,
    ),
    # positions
    "apply returns nothing": Broken(
        "tictactoe",
        f"return {_APPLY_TTT}",
        _APPLY_TTT,
        "apply",
        "gave None: it must return a position",
    ),
    "start returns nothing": Broken(
        "tictactoe", 'return "-" * 9', '"-" * 9', "start", "gave None: it must return a position"
    ),
    "apply raises": Broken(
        "tictactoe",
        '"xo"[self.mover(position)]',
        '"x"[self.mover(position)]',
        "apply",
        "IndexError",
    ),
    "start fails for large seeds": Broken(
        "race",
        "random.Random(seed).randrange(2)",
        "int(np.random.RandomState(seed).randint(2))",
        "start",
        "ValueError",
    ),
    "the seed is used, but not declared": Broken(
        "race", "    has_random_start = True\n", "", "start", "has_random_start is False"
    ),
    "the seed is declared, but not used": Broken(
        "heaps",
        "max_plies = 60",
        "max_plies = 60\n    has_random_start = True",
        "start",
        "has_random_start is True",
        True,
    ),
    # the heuristic
    "heuristic above 1": Broken(
        "race", _HEURISTIC, f"{_HEURISTIC} * 10", "heuristic", "outside [-1, 1]"
    ),
    "heuristic gives None": Broken("race", _HEURISTIC, "pass", "heuristic", "gives None"),
    "heuristic gives nan": Broken(
        "race", _HEURISTIC, 'return float("nan")', "heuristic", "outside [-1, 1]"
    ),
    "heuristic raises": Broken(
        "race", _HEURISTIC, "return 1 / position.steps[0]", "heuristic", "ZeroDivisionError"
    ),
    # what is shown
    "an event too many": Broken(
        "race", _EVENTS, f"{_EVENTS} + [0.0]", "events", "one number per event name"
    ),
    "an event is infinite": Broken(
        "race", _EVENTS, 'return [float("inf"), 0.0]', "events", "gives inf for steps"
    ),
    "cells of another board": Broken(
        "heaps",
        "board = (1, len(HEAPS))",
        "board = (2, len(HEAPS))",
        "cells",
        "one (man, seat) per square",
    ),
    "cells with seat 2": Broken(
        "tictactoe",
        _CELLS_TTT,
        _CELLS_TTT.replace('"xo".index(man)', '"xo".index(man) + 1'),
        "cells",
        "seat",
    ),
    "cells without seats": Broken(
        "tictactoe", _CELLS_TTT, "return list(position)", "cells", "a list of (man, seat)"
    ),
    "an empty square with an owner": Broken(
        "tictactoe",
        _CELLS_TTT,
        _CELLS_TTT.replace('("", -1)', '("", 0)'),
        "cells",
        "an empty square must be",
        True,
    ),
    "info without labels": Broken(
        "race",
        'return [("to go", str(GOAL - max(position.steps)))]',
        "return [GOAL]",
        "info",
        "(label, words)",
    ),
    "kind is empty": Broken(
        "race", 'return "faces" if position.rolls else "moves"', 'return ""', "kind", "gives ''"
    ),
    # the mirror
    "mirror does not turn back": Broken(
        "dots",
        _MIRROR,
        "return drawing[1:] + drawing[:1], mover",
        "mirror",
        "which parse() refuses",
    ),
    "mirror only from one side": Broken(
        "dots",
        _MIRROR,
        f"{_MIRROR[:-7].replace('[::-1]', '')}, mover",
        "mirror_action",
        "not the image",
    ),
    "mirror changes the mover": Broken(
        "dots",
        _MIRROR,
        f"{_MIRROR[:-5]}1 - mover",
        "mirror",
        "the mover or the ending is different",
    ),
    "mirror_action leaves the action": Broken(
        "dots", _MIRROR_ACTION, "return action", "mirror_action", "image"
    ),
    "mirror_action gives None": Broken(
        "dots", _MIRROR_ACTION, "pass", "mirror_action", "must be action numbers"
    ),
    "mirror without the owners": Broken(
        "dots",
        _MIRROR,
        f'return {_MIRROR[7:-7]}.translate(str.maketrans("ab", "ba")), mover',
        "mirror",
        "ending is different",
    ),
    "heuristic of one side of the mirror": Broken(
        "dots",
        'return (position[0].count("a") - position[0].count("b")) / len(BOXES)',
        'return 0.5 if position[0][1] == "l" else 0.0',
        "heuristic",
        "in its mirror image",
        True,
    ),
    # facts
    "a layout that does not fit": Broken(
        "heaps",
        "max_plies = 60",
        'max_plies = 60\n    policy_layout = "planes"',
        "",
        "policy_layout is planes, but slots = 10",
    ),
    "a layout of pairs that does not fit": Broken(
        "heaps",
        "max_plies = 60",
        'max_plies = 60\n    policy_layout = "from_to"',
        "",
        "less than 9 x 9",
    ),
}

# Refused as soon as the file is loaded, with the line of the class.
REFUSED: dict[str, Broken] = {
    "a method is missing": Broken(
        "heaps", "def legal(", "def legals(", "", "does not define these methods: legal"
    ),
    "two methods are missing": Broken(
        "heaps", "def mover(", "def turn(", "", "does not define these methods: mover"
    ),
    "no actions": Broken("heaps", "actions = slots", "slots", "", "needs an attribute 'actions'"),
    "a billion slots": Broken(
        "heaps",
        "planes = (2",
        "slots = 10**9\n    planes = (2",
        "",
        "slots is 1000000000, but at most",
    ),
    "a name of rulezero's": Broken("heaps", '"heaps"', '"chess"', "", "the name 'chess' is taken"),
    "no rows": Broken(
        "heaps",
        "planes = (2, len(HEAPS), MOST)",
        "planes = (2, 0, MOST)",
        "",
        "lengths of at least 1",
    ),
    "planes of two numbers": Broken(
        "heaps", "planes = (2, len(HEAPS), MOST)", "planes = (2, MOST)", "", "three numbers"
    ),
    "no board": Broken("heaps", "board = (1, len(HEAPS))", "board = ()", "", "two numbers"),
    "an event named twice": Broken(
        "race", '("steps", "falls")', '("steps", "steps")', "", "names an event twice"
    ),
    "a mirror without actions": Broken(
        "dots",
        "def mirror_action",
        "def mirrors",
        "",
        "needs both mirror(position) and mirror_action",
    ),
    "seats of one name": Broken(
        "race", '("Red", "Blue")', '("Red", "Red")', "", "two different names"
    ),
    "max_plies is 0": Broken(
        "heaps", "max_plies = 60", "max_plies = 0", "", "max_plies of at least 1"
    ),
}
