"""`rulezero token`: tokens of a run's server, and what is said about mistakes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import rulezero as rz
from support.commands import fails, succeeds


def test_the_life_of_a_token(tmp_path: Path) -> None:
    """Made, listed, flagged, withdrawn and revoked; the secret is printed once."""
    here = ("--fleet", tmp_path)
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
    here = ("--fleet", tmp_path)
    assert "there is no token 'bob'" in fails("token", "revoke", "bob", *here)
    wrong = fails("token", "new", "bob", "--scope", "workr", *here)
    assert "did you mean 'worker'?" in wrong
    assert "give a name of 1 to 100 printable" in fails("token", "new", "x" * 101, *here)
    assert "give the run or the URL of its server" in fails("token", "list")
    away = fails("token", "list", "--server", "http://127.0.0.1:1", "--token", "rz_x")
    assert "cannot be reached" in away
    assert "needs an admin's token" in fails("token", "list", "--server", "http://127.0.0.1:1")
    other = fails("serve", *here, "--database", "mysql://x/y")
    assert "a fleet's database is SQLite or PostgreSQL" in other
    assert "cannot listen" in fails("serve", *here, "--host", "203.0.113.1", "--port", "1")


def test_names_that_several_tokens_have(tmp_path: Path) -> None:
    """They are named by their ids."""
    with rz.fleets.tokens(tmp_path) as tokens:
        one, two = (tokens.new("twin", ["worker"]).token.id for _ in range(2))
        with pytest.raises(rz.RunError, match=f"give an id, one of {one}, {two}"):
            tokens.revoke("twin")
        assert tokens.revoke(one).id == one


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
        "a fleet's server needs the package sqlalchemy: pip install 'rulezero[fleet]'\n"
    )
