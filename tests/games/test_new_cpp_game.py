"""A new game in C++ needs only two files and its name in all.h, as tic-tac-toe shows.

The sources are copied to build/new_game, which is kept, so a second run compiles only changes.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rulezero as rz
from support.documents import ROOT

NEW = ROOT / "tests" / "new_game"
PLACE = ROOT / "build" / "new_game"
MATCH = """
import rulezero as rz
result = rz.match("noughts", a="puct:eval=rollout,sims=64", b="random", games=20, seed=0)
print(rz.__file__, len(result.records), result.score)
"""


def sources() -> dict[Path, bytes]:
    """The C++ sources with the new game: its two files, and all.h with its name."""
    files = {ROOT / "CMakeLists.txt", *(ROOT / "cpp").rglob("*.h"), *(ROOT / "cpp").rglob("*.cpp")}
    found = {path.relative_to(ROOT): path.read_bytes() for path in files}
    for name in ("noughts.h", "noughts.cpp"):
        found[Path("cpp/games", name)] = (NEW / name).read_bytes()
    everything = Path("cpp/games/all.h")
    text = found[everything].decode()
    text = text.replace("#include", '#include "games/noughts.h"\n#include', 1)
    text = text.replace("using AllGames = TypeList<", "using AllGames = TypeList<Noughts, ", 1)
    return found | {everything: text.encode()}


def run(*command: str | Path, **environment: str) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environment,
        timeout=550,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a copy of the package, whose core has the new game."""
    nanobind = pytest.importorskip("nanobind", reason="no nanobind: the new C++ game is NOT tested")
    cmake = shutil.which("cmake")
    if cmake is None or shutil.which("ninja") is None:
        pytest.skip("cmake and ninja are not on PATH: the new C++ game is NOT tested")
    tree, build = PLACE / "tree", PLACE / "build"
    wanted = sources()
    for path in tree.rglob("*"):
        if path.is_file() and path.relative_to(tree) not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = tree / name
        if not path.exists() or path.read_bytes() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
    options = {
        "CMAKE_BUILD_TYPE": "None",
        "CMAKE_PROJECT_INCLUDE": NEW / "quick.cmake",
        "RULEZERO_LTO": "OFF",
        "Python_EXECUTABLE": sys.executable,
        "nanobind_DIR": nanobind.cmake_dir(),
    }
    defines = [f"-D{name}={value}" for name, value in options.items()]
    run(cmake, "-S", tree, "-B", build, "-G", "Ninja", *defines)
    run(cmake, "--build", build, "--target", "_core")
    package = tmp_path / "rulezero"
    unwanted = shutil.ignore_patterns("_core*", "__pycache__")
    shutil.copytree(Path(rz.__file__).parent, package, ignore=unwanted)
    for core in build.glob("_core*.so"):
        shutil.copy(core, package)
    return tmp_path


def test_a_new_game_keeps_the_laws_and_is_played(site: Path) -> None:
    """The game passes the contract tests although no other file names it, and tree search beats
    random moves in a match."""
    laws = ["tests/games/test_contract.py", "tests/games/test_facts.py", "-k", "noughts"]
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0"]
    said = run(*pytest_, *laws, PYTHONPATH=str(site))
    assert int(said.splitlines()[-1].split()[0]) >= 25, said
    place, games, score = run(sys.executable, "-c", MATCH, PYTHONPATH=str(site)).split()
    assert Path(place).is_relative_to(site)
    assert int(games) == 20
    assert float(score) > 0.7
