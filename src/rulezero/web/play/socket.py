"""The WebSocket for play and analysis."""

import asyncio
import contextlib
import time
from pathlib import Path

import msgspec
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

import rulezero as rz
from rulezero.web.gate import Host, visitor_of
from rulezero.web.limits import (
    BYTES_OF_A_MESSAGE,
    MESSAGES_AT_ONCE,
    MESSAGES_PER_SECOND,
    MOST_BYTES,
    MOST_SOCKETS,
)
from rulezero.web.log import log_refusal
from rulezero.web.play import messages
from rulezero.web.play.table import Table
from rulezero.web.visitors import Visitor

router = APIRouter()
_MOST_UNSENT = 500  # messages to a page that does not read them: then its connection is closed
_POLICY, _AWAY = 1008, 1013  # codes of closed WebSockets


@router.websocket("/ws/play")
async def play(socket: WebSocket) -> None:
    """Play and analysis: see messages.py."""
    host: Host = socket.app.state.host
    visitor = visitor_of(socket, host)
    if visitor is None:
        log_refusal(socket, "no visitor of this server")
        await socket.close(_POLICY, "reload the page")
        return
    if visitor.sockets >= MOST_SOCKETS:
        await socket.close(_AWAY, "too many open pages: close one of them")
        return
    await socket.accept()
    visitor.sockets += 1
    page = _Page(socket, visitor, host)
    try:
        await page.run()
    finally:
        visitor.sockets -= 1


class _Page:
    """An open page: it shows one game at a time."""

    def __init__(self, socket: WebSocket, visitor: Visitor, host: Host) -> None:
        self._socket = socket
        self._visitor = visitor
        self._host = host
        self._table: Table | None = None
        self._unsent: asyncio.Queue[messages.ToPage] = asyncio.Queue(_MOST_UNSENT)
        self._credit = float(MESSAGES_AT_ONCE)
        self._credited = time.monotonic()
        self._closing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Reads messages until the page is closed."""
        sender = asyncio.create_task(self._send())
        try:
            while True:
                data = await self._socket.receive_text()
                if not self._may_send(len(data)):
                    await self._socket.close(_POLICY, "too many or too large messages")
                    return
                self._take(data)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page was closed
        finally:
            sender.cancel()
            if self._table is not None:
                self._table.leave(self._tell)

    def _may_send(self, size: int) -> bool:
        now = time.monotonic()
        earned = (now - self._credited) * MESSAGES_PER_SECOND
        cost = 1 + size / BYTES_OF_A_MESSAGE
        self._credit = min(MESSAGES_AT_ONCE, self._credit + earned) - cost
        self._credited = now
        if size <= MOST_BYTES + 4096 and self._credit >= 0:
            return True
        log_refusal(self._socket, "too many or too large messages")
        return False

    def _tell(self, message: messages.ToPage) -> None:
        try:
            self._unsent.put_nowait(message)
        except asyncio.QueueFull:  # the page connects again, and gets the whole game
            if self._table is not None:
                self._table.leave(self._tell)
                self._table = None
            words = "the page does not keep up"
            self._closing = asyncio.create_task(self._socket.close(_AWAY, words))

    async def _send(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                message = await self._unsent.get()
                await self._socket.send_text(msgspec.json.encode(message).decode())

    def _take(self, data: str) -> None:
        try:
            self._obey(messages.FROM_PAGE.decode(data))
        except msgspec.MsgspecError as error:
            log_refusal(self._socket, f"a malformed message: {error}")
            self._tell(messages.Failed(f"the page sent a malformed message: {error}"))
        except rz.RulezeroError as error:
            log_refusal(self._socket, str(error))
            self._tell(messages.Failed(str(error)))

    def _obey(self, message: messages.FromPage) -> None:
        if isinstance(message, messages.Ping):
            self._tell(messages.Pong())
            return
        if isinstance(message, messages.NewTable):
            game = self._host.games.open(message.game, message.pieces)
            table = Table(self._visitor, self._host.thinker, game, message)
            self._visitor.keep(table)
            self._show(table)
            return
        if isinstance(message, messages.Resume):
            found = self._visitor.find(message.table)
            if found is None:
                log_refusal(self._socket, "the game of another visitor, or a forgotten one")
                words = "this game is not on the server: it is begun again"
                self._tell(messages.Failed(words, "gone"))
                return
            self._show(found)
            return
        if self._table is None:
            raise rz.GameError("no game is open: begin one first")
        self._obey_at(self._table, message)

    def _show(self, table: Table) -> None:
        if self._table is not None:
            self._table.leave(self._tell)
        self._table = table
        table.join(self._tell)

    def _obey_at(self, table: Table, message: messages.FromPage) -> None:
        match message:
            case messages.Choose(action=action):
                table.choose(action)
            case messages.Undo(unit=unit):
                table.undo(unit)
            case messages.Look(ply=ply):
                self._tell(table.past(ply))
            case messages.SetPlayers(players=players):
                table.set_players(players)
            case messages.Resign():
                table.resign()
            case messages.Go():
                table.hurry()
            case messages.Pause(on=on):
                table.pause(on)
            case messages.Pace(seconds=seconds):
                table.set_pace(seconds)
            case messages.Analyse(mode=mode, sims=sims):
                table.analyse(mode, sims)
            case messages.Review():
                table.review()
            case messages.Save():
                self._tell(messages.Saved(table.save(self._store())))

    def _store(self) -> Path:
        if not self._visitor.is_owner:
            raise rz.GameError(
                "only the owner of this server keeps games: open the address that"
                " `rulezero serve` has printed"
            )
        return self._host.people
