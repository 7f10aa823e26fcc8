"""A sample of the stored games is played again; games that are not the task's flag their token."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import rulezero as rz
from rulezero.fleet.protocol import (
    LeaseAnswer,
    LeaseRequest,
    Machine,
    Receipt,
    decode,
    encode,
    pack,
)
from rulezero.fleet.server.limits import FIRST_GAMES
from rulezero.fleet.worker.worker import this_machine
from rulezero.play.task import Task
from support.fleet_servers import Caller, indices, played, serving, token

_PLAYER = "puct:sims=16,noise=0.25,temperature=1"
TASK = Task(game="connect4", a=_PLAYER, b=_PLAYER, games=64, name="s", seed=1)
OTHER = msgspec.structs.replace(TASK, seed=2)


def lease_games(me: Caller, games: int, machine: Machine) -> tuple[str, list[int]]:
    """A lease for a worker on this machine."""
    request = LeaseRequest(worker="w", machine=machine, games=games)
    answer = me.http.post("/v1/leases", content=encode(request))
    lease = decode(answer.content, LeaseAnswer).lease
    assert lease is not None
    return lease.id, indices(lease)


def until(look: Callable[[], bool]) -> None:
    """Waits until something is so."""
    for _ in range(1200):
        if look():
            return
        time.sleep(0.1)
    pytest.fail("it never was")


def test_every_game_of_a_new_token_is_played_again(tmp_path: Path) -> None:
    """Honest games pass; games with other dice, which the rules allow, flag the token."""
    with serving(tmp_path) as server:
        with (
            Caller(server.url, token(tmp_path, "worker", "trainer", name="honest")) as me,
            Caller(server.url, token(tmp_path, "worker", name="cheat")) as cheat,
        ):
            me.order(TASK)

            def sampled() -> dict[str, int]:
                found: dict[str, int] = me.http.get("/v1/status").json()["sampled"]
                return found

            lease, mine = lease_games(me, FIRST_GAMES, this_machine())
            receipt = me.upload(lease, [pack(played(TASK)[index]) for index in mine])
            assert decode(receipt.content, Receipt).accepted == FIRST_GAMES
            until(lambda: sampled()["passed"] == FIRST_GAMES)

            lease, theirs = lease_games(cheat, 2, this_machine())
            forged = []
            for index in theirs:  # valid games with the right index, played with another seed
                record = msgspec.structs.replace(played(OTHER)[index].record, seed=TASK.seed)
                forged.append(pack(msgspec.structs.replace(played(OTHER)[index], record=record)))
            answer = cheat.upload(lease, forged)
            assert decode(answer.content, Receipt).accepted == 2
            until(lambda: sampled()["failed"] == 2)
            assert sampled()["skipped"] == sampled()["undecided"] == 0

            def flags() -> list[dict[str, Any]]:
                found: list[dict[str, Any]] = me.http.get("/v1/status").json()["flags"]
                return found

            until(lambda: len(flags()) > 0)  # the server reads its tokens twice a second
            [flagged] = flags()
            assert flagged["name"] == "cheat"
            assert flagged["flag"].startswith(f"game {theirs[0]} of the task ")
            assert flagged["revoked"] is flagged["withdrawn"] is None  # a person decides
        assert '"event":"sampled","outcome":"failed","token":"cheat"' in server.log()
    with rz.fleets.tokens(tmp_path) as tokens:
        assert {each.name: bool(each.flag) for each in tokens.all()} == {
            "honest": False,
            "cheat": True,
        }
