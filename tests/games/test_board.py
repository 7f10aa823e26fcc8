"""The board of page, notebooks and reports: modules of JavaScript that are joined into one."""

import re

from rulezero.games import board

_IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./(\w+)\.js";$', re.MULTILINE)
_NAMED = re.compile(r"^(?:export )?(?:const|let|function|class) (\w+)", re.MULTILINE)


def test_modules_import_only_what_is_above_them() -> None:
    """So that they can be joined in their order; what they import is exported there."""
    for number, name in enumerate(board.PARTS):
        for names, origin in _IMPORT.findall(board.part(name)):
            assert origin in board.PARTS[:number]
            exported = re.findall(
                r"^export (?:const|function|class) (\w+)", board.part(origin), re.MULTILINE
            )
            assert set(names.split(", ")) <= set(exported)


def test_the_joined_module_stands_alone() -> None:
    """It imports nothing, exports the element alone, and has no name twice."""
    text = board.source()
    assert not re.search(r"^\s*import\b", text, re.MULTILINE)
    assert re.findall(r"^export .*?(\w+) extends", text, re.MULTILINE) == ["RzBoard"]
    assert len(re.findall(r"^export ", text, re.MULTILINE)) == 1
    named = _NAMED.findall(text)
    assert len(set(named)) == len(named)


def test_every_module_is_a_part() -> None:
    """No module of the folder is left out."""
    from importlib import resources

    files = {each.name for each in resources.files(board).iterdir() if each.name.endswith(".js")}
    assert files == {f"{name}.js" for name in board.PARTS}
