"""How quick the page is: .venv/bin/python benchmarks/page.py.

Prints, from a real server and a real browser on this machine:

- the time from a click to the repainted board, for a move without a search;
- the time to the first paint with a warm cache, and the bytes before it without a cache;
- the memory that 50 idle visitors add to the server;
- the answer time of the server while 20 visitors search at once.
"""

import asyncio
import contextlib
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import websockets

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.browser import browser
from support.page_server import PageServer, serving

_MOVES = 100
_PAINTS = 15
_IDLE = 50
_SEARCHING = 20
_PINGS = 300

# Clicks a square and waits until the board shows another position and the browser has painted it.
_CLICK = """async (square) => {
  const board = document.querySelector('.frame rz-board');
  const before = board.position.text;
  const target = board.shadowRoot.querySelector(`[data-square='${square}']`);
  const box = target.getBoundingClientRect();
  const at = {bubbles: true, composed: true, pointerId: 1, isPrimary: true, button: 0,
              buttons: 1, pointerType: 'mouse', clientX: box.x + box.width / 2,
              clientY: box.y + box.height / 2};
  const begin = performance.now();
  target.dispatchEvent(new PointerEvent('pointerdown', at));
  target.dispatchEvent(new PointerEvent('pointerup', {...at, buttons: 0}));
  while (board.position.text === before || board.position.moves.length === 0) {
    if (board.position.over) break;
    await new Promise((done) => requestAnimationFrame(done));
  }
  // Here the frame that has the new position is about to be painted; a timer runs behind it.
  await new Promise((done) => setTimeout(done));
  return performance.now() - begin;
}"""


def quantile(times: list[float], share: float) -> float:
    """The time that this share of the times does not exceed."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def clicks(server: PageServer, running: Any) -> list[float]:
    """Milliseconds from a click to the repaint, in games of two people."""
    times: list[float] = []
    context = running.new_context(viewport={"width": 1280, "height": 860}, reduced_motion="reduce")
    page = context.new_page()
    ready = "() => document.querySelector('.frame rz-board')?.position?.moves.length > 0"
    while len(times) < _MOVES:
        page.goto("about:blank")
        page.goto(f"{server.url}/#play/connect4?players=human|human&seed={len(times)}")
        page.wait_for_function(ready)
        for column in "abcdefg" * 3:
            times.append(page.evaluate(_CLICK, f"{column}1"))
            if page.evaluate("document.querySelector('.frame rz-board').position.over"):
                break
    context.close()
    return times


def paints(server: PageServer, running: Any) -> tuple[list[float], int]:
    """Milliseconds to the first paint with a warm cache; bytes before it with an empty one."""
    context = running.new_context(viewport={"width": 1280, "height": 860})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    received = 0

    def count(event: dict[str, Any]) -> None:
        nonlocal received
        received += event["encodedDataLength"]

    session.on("Network.loadingFinished", count)
    page.goto(server.url)
    page.wait_for_selector(".card rz-board")
    first = received
    times = []
    painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    for _ in range(_PAINTS):
        page.reload()
        page.wait_for_selector(".card rz-board")
        page.wait_for_function(f"() => {painted} !== undefined")
        times.append(page.evaluate(painted))
    context.close()
    return times, first


def memory(server: PageServer) -> float:
    """MiB that the server's process has in memory."""
    text = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("Pss:")]
    return int(line.split()[1]) / 1024


@contextlib.asynccontextmanager
async def visit(server: PageServer) -> Any:
    """A new visitor's connection."""
    with server.visitor() as visitor:
        cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    async with websockets.connect(
        server.url.replace("http", "ws", 1) + "/ws/play",
        additional_headers={"Cookie": cookie},
        origin=server.url,  # type: ignore[arg-type]
    ) as socket:
        yield socket


async def sit(server: PageServer) -> float:
    """MiB that idle visitors add, each with a game that has begun."""
    async with contextlib.AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(visit(server)) for _ in range(5)]
        for socket in sockets:  # what is loaded once is not a visitor's
            await socket.send(json.dumps(_new("monster", "human", "human")))
            await socket.recv()
        before = memory(server)
        for _ in range(_IDLE):
            socket = await stack.enter_async_context(visit(server))
            await socket.send(json.dumps(_new("monster", "human", "human")))
            await socket.recv()
        return memory(server) - before


async def ping_while_others_search(server: PageServer) -> list[float]:
    """Milliseconds that the server takes for an answer while others search without pause."""
    times = []
    async with contextlib.AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(visit(server)) for _ in range(_SEARCHING)]
        readers = []
        for socket in sockets:
            await socket.send(json.dumps(_new("chess", "puct:sims=20000", "puct:sims=20000")))
            await socket.send(json.dumps({"do": "analyse", "mode": "live"}))
            readers.append(asyncio.create_task(_read(socket)))
        mine = await stack.enter_async_context(visit(server))
        for _ in range(_PINGS):
            begin = time.perf_counter()
            await mine.send('{"do":"ping"}')
            await mine.recv()
            times.append(1000 * (time.perf_counter() - begin))
            await asyncio.sleep(0.04)
        for reader in readers:
            reader.cancel()
    return times


async def _read(socket: Any) -> None:
    async for _ in socket:
        pass


def _new(game: str, *players: str) -> dict[str, object]:
    return {"do": "new", "game": game, "players": players}


def main() -> None:
    """Prints all figures."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "page") as server:
        with browser() as running:
            times = clicks(server, running)
            print(
                f"click to repaint, {len(times)} moves: median {statistics.median(times):.1f} ms,"
                f" p95 {quantile(times, 0.95):.1f} ms"
            )
            warm, size = paints(server, running)
            print(
                f"first paint, warm: median {statistics.median(warm):.0f} ms,"
                f" slowest of {len(warm)} {max(warm):.0f} ms"
            )
            print(f"bytes before the games are shown, empty cache: {size / 1000:.1f} kB")
        print(f"{_IDLE} idle visitors add {asyncio.run(sit(server)):.1f} MiB")
        pings = asyncio.run(ping_while_others_search(server))
        print(
            f"ping while {_SEARCHING} visitors search: median {statistics.median(pings):.1f} ms,"
            f" p99 {quantile(pings, 0.99):.1f} ms"
        )


if __name__ == "__main__":
    main()
