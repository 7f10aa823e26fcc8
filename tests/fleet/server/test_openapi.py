"""The published OpenAPI describes the server, and no request that it allows makes it fail."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import rulezero as rz
from support import fleet_servers
from support.fleet_servers import ServerProcess, serving, token

SUPPORT = str(Path(fleet_servers.__file__).parent)
MOST_EXAMPLES = {"all": 8, "none": 2}  # random requests for each route


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server."""
    with serving(tmp_path_factory.mktemp("run")) as made:
        yield made


def test_every_route_is_described(server: ServerProcess) -> None:
    """Routes say what they take and give: bodies, JSON answers and errors."""
    found = httpx.get(f"{server.url}/openapi.json").json()
    assert found["info"]["version"] == rz.__version__
    assert len(found["paths"]) == 16
    for path, methods in found["paths"].items():
        for method, about in methods.items():
            where = f"{method} {path}"
            assert about["description"] or about["summary"], where
            if path in ("/healthz", "/metrics"):
                continue
            assert about["security"] == [{"HTTPBearer": []}], where
            assert {"400", "401", "403", "426", "429", "503"} <= set(about["responses"]), where
            has_body = path.endswith(("/leases", "/progress", "/v1/games", "/flag"))
            assert ("requestBody" in about) or not has_body, where
    upload = found["paths"]["/v1/games"]["post"]
    assert [*upload["requestBody"]["content"]] == ["application/msgpack"]
    assert "application/msgpack" in upload["responses"]["200"]["content"]
    assert "application/msgpack" in upload["responses"]["422"]["content"]


@pytest.mark.parametrize("scopes", ["all", "none"])
def test_generated_requests_never_make_it_fail(server: ServerProcess, scopes: str) -> None:
    """Requests that schemathesis generates from the OpenAPI get no 5xx."""
    secret = token(server.run, *rz.fleets.SCOPES) if scopes == "all" else "rz_none"
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json",
        "--checks", "not_a_server_error", "--phases", "examples,coverage,fuzzing",
        "--max-examples", str(MOST_EXAMPLES[scopes]), "--seed", "1", "--no-color",
        "-H", f"Authorization: Bearer {secret}", "-H", "Rulezero: 1 test",
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", cwd=server.run, check=False,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "msgpack_bodies", "PYTHONPATH": SUPPORT},
        timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert httpx.get(f"{server.url}/healthz").status_code == 200
    assert "a request failed" not in server.log()


def test_messages_of_hostile_bytes_never_make_it_fail(server: ServerProcess) -> None:
    """Random and damaged bytes as bodies get 400 or 404, on every route with a body."""
    import random

    draw = random.Random(5)
    secret = token(server.run, "worker", "trainer", "admin", name="all")
    headers = {"Authorization": f"Bearer {secret}", "Rulezero": "1 test"}
    with httpx.Client(base_url=server.url, headers=headers) as client:
        for method, path in (
            ("POST", "/v1/leases"),
            ("POST", f"/v1/leases/{'0' * 32}/progress"),
            ("POST", "/v1/games"),
            ("PUT", f"/v1/nets/{'0' * 64}"),
            ("PUT", f"/v1/tasks/{'0' * 32}"),
            ("POST", "/v1/tokens"),
            ("POST", "/v1/tokens/00000000/flag"),
        ):
            for size in 0, 1, 2, 10, 1000, 100_000:
                answer = client.request(method, path, content=draw.randbytes(size))
                assert answer.status_code in (400, 404, 413, 422), (path, size)
            for deep in b"\x91" * 60_000, b"\x81\xa5steps" * 9_000, b"[" * 15_000:
                answer = client.request(method, path, content=deep)
                assert answer.status_code in (400, 404, 413, 422), path


def test_log_of_the_server_is_free_of_secrets(server: ServerProcess) -> None:
    """Secrets are never logged."""
    secret = token(server.run, "admin", name="logged")
    with rz.fleets.tokens(server=server.url, token=secret) as tokens:
        made = tokens.new("other", ["worker"])
    log = server.log()
    assert "other" in log
    assert made.secret not in log
    assert secret not in log


def test_places_are_under_the_run(server: ServerProcess) -> None:
    """The server writes into the folder fleet of its run only."""
    names = {path.name for path in Path(server.run).iterdir() if not path.name.endswith(".log")}
    assert names <= {"fleet", ".schemathesis", "schemathesis-report", ".hypothesis"}
