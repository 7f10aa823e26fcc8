"""`rulezero token`: tokens of a run's server, and what is said about mistakes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.fleet.server.database import open_database
from support.commands import fails, succeeds


def made_fleet(run: Path) -> Path:
    """The folder of a server that was started before."""
    open_database(run / "fleet").dispose()
    return run


def test_the_life_of_a_token(tmp_path: Path) -> None:
    """Made, listed, flagged, withdrawn and revoked; the secret is printed once."""
    here = ("--fleet", made_fleet(tmp_path))
    secret = succeeds("token", "new", "anna", *here).strip()
    assert secret.startswith("rz_")
    succeeds("token", "new", "boss", "--scope", "trainer", "--scope", "admin", *here)
    listed = succeeds("token", "list", *here)
    assert secret not in listed
    assert [line.split()[1] for line in listed.splitlines()] == ["name", "anna", "boss"]
    assert "is active, flagged: too good" in succeeds("token", "flag", "anna", "too good", *here)
    assert succeeds("token", "withdraw", "anna", *here) == "0 games withdrawn\n"
    assert "revoked" in succeeds("token", "revoke", "anna", *here)
    anna, boss = json.loads(succeeds("token", "list", "--json", *here))
    assert (anna["name"], anna["scopes"], anna["flag"]) == ("anna", ["worker"], "too good")
    assert anna["revoked"] is not None
    assert (boss["scopes"], boss["revoked"]) == (["admin", "trainer"], None)


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    """Unknown tokens and scopes, and servers that do not answer."""
    here = ("--fleet", made_fleet(tmp_path))
    assert "there is no token 'bob'" in fails("token", "revoke", "bob", *here)
    wrong = fails("token", "new", "bob", "--scope", "workr", *here)
    assert "did you mean 'worker'?" in wrong
    assert "give a name of 1 to 100 printable" in fails("token", "new", "x" * 101, *here)
    assert "give a name of 1 to 100 printable" in fails("token", "new", " ", *here)
    assert "give --fleet with the server's folder, or --server" in fails("token", "list")
    both = fails("token", "list", *here, "--server", "http://127.0.0.1:1")
    assert "give --fleet or --server, not both" in both
    away = fails("token", "list", "--server", "http://127.0.0.1:1", "--token", "rz_0123456")
    assert "cannot be reached" in away
    assert "needs an admin's token" in fails("token", "list", "--server", "http://127.0.0.1:1")
    other = fails("serve", *here, "--database", "mysql://x/y")
    assert "a fleet's database is SQLite or PostgreSQL" in other
    assert "cannot listen" in fails("serve", *here, "--host", "203.0.113.1", "--port", "1")
    foo = fails("serve", *here, "--database", "foo")
    assert "--database must be of the form postgresql://USER@HOST/NAME, not 'foo'" in foo
    file = tmp_path / "file"
    file.touch()
    assert "must name a folder" in fails("serve", "--fleet", file)
    (tmp_path / "fleet" / "fleet.sqlite").write_bytes(b"x" * 10_000)
    broken = fails("token", "list", *here)
    assert f"database '{tmp_path / 'fleet' / 'fleet.sqlite'}' cannot be opened" in broken
    assert broken.rstrip().endswith("restore it from a backup")


def test_a_misspelt_fleet_is_not_created(tmp_path: Path) -> None:
    """Tokens are those of a server that was started before, so that none is made in vain."""
    for place, words in (
        (tmp_path / "nosuch", "start `rulezero serve --fleet"),
        ("", "not a"),
    ):
        assert words in fails("token", "new", "anna", "--fleet", place)
        assert words in fails("token", "list", "--fleet", place)
    assert not (tmp_path / "nosuch").exists()


@pytest.mark.parametrize("name", ["what?", "50%41", "a#b", "one two"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    """The database is in the folder, whatever its name means in a URL."""
    with rz.fleets.tokens(made_fleet(tmp_path / name)) as tokens:
        tokens.new("anna", ["worker"])
    assert (tmp_path / name / "fleet" / "fleet.sqlite").stat().st_size > 0
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_name_is_used_again_only_after_its_token_is_revoked(tmp_path: Path) -> None:
    """Then the name alone revokes the new one; its games are named by an id."""
    with rz.fleets.tokens(made_fleet(tmp_path)) as tokens:
        one = tokens.new("twin", ["worker"]).token.id
        with pytest.raises(rz.RunError, match="there is a token 'twin' already"):
            tokens.new("twin", ["worker"])
        tokens.revoke("twin")
        two = tokens.new("twin", ["worker"]).token.id
        with pytest.raises(rz.RunError, match=f"give an id, one of {one}, {two}"):
            tokens.withdraw("twin")
        assert tokens.revoke("twin").id == two
        assert tokens.withdraw(one) == 0


def test_missing_packages_are_named() -> None:
    """Without the extra, one line says how to install it."""
    code = (
        "import sys; sys.modules['sqlalchemy'] = None; import rulezero as rz\n"
        "try: rz.serve('x')\nexcept rz.RunError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == (
        "a fleet's server needs the package sqlalchemy: pip install -c constraints.txt '.[fleet]'\n"
    )
