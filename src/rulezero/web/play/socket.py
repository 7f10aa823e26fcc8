"""The WebSocket for play and analysis."""

import asyncio
import contextlib
import time
from pathlib import Path

import msgspec
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

import rulezero as rz
from rulezero.web.clients import Client
from rulezero.web.gate import Host, visitor_of
from rulezero.web.limits import (
    BYTES_OF_A_MESSAGE,
    MESSAGES_AT_ONCE,
    MESSAGES_PER_SECOND,
    MOST_BYTES,
    MOST_SOCKETS,
    MOST_SOCKETS_OF_ADDRESS,
    PLIES_OF_A_MESSAGE,
)
from rulezero.web.log import log_refusal
from rulezero.web.play import messages
from rulezero.web.play.table import Table
from rulezero.web.visitors import Visitor
from rulezero.web.wording import for_page, malformed_message

router = APIRouter()
_MOST_UNSENT = 500  # messages to a page that does not read them: then its connection is closed
_KIND, _POLICY, _AWAY = 1003, 1008, 1013  # codes of closed WebSockets
_CROWDED = 4001  # our own: the page does not connect again by itself


@router.websocket("/ws/play")
async def play(socket: WebSocket) -> None:
    """Play and analysis: see messages.py."""
    host: Host = socket.app.state.host
    visitor = visitor_of(socket, host)
    if visitor is None:
        log_refusal(socket, "no visitor of this server")
        await socket.close(_POLICY, "reload the page")
        return
    client = host.client_of(socket, visitor)
    await socket.accept()
    if not client.is_owner and client.sockets >= MOST_SOCKETS_OF_ADDRESS:
        log_refusal(socket, "too many connections from one address")
        await socket.close(_CROWDED, "Too many pages are open at your address: close some of them.")
        return
    if len(visitor.pages) >= MOST_SOCKETS:
        min(visitor.pages, key=lambda each: each.used).retire()
    page = _Page(socket, visitor, client, host)
    visitor.pages.append(page)
    client.sockets += 1
    try:
        await page.run()
    finally:
        client.sockets -= 1
        with contextlib.suppress(ValueError):  # it has retired
            visitor.pages.remove(page)


class _Page:
    """An open page: it shows one game at a time."""

    def __init__(self, socket: WebSocket, visitor: Visitor, client: Client, host: Host) -> None:
        self._socket = socket
        self._visitor = visitor
        self._client = client
        self.used = time.monotonic()
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
                message = await self._socket.receive()
                if message["type"] != "websocket.receive":
                    return
                data = message.get("text")
                if data is None:
                    log_refusal(self._socket, "a binary message")
                    await self._socket.close(_KIND, "messages are JSON")
                    return
                if not self._may_send(len(data)):
                    await self._socket.close(_POLICY, "too many or too large messages")
                    return
                await self._take(data)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page was closed
        finally:
            sender.cancel()
            if self._table is not None:
                self._table.leave(self._tell)

    def retire(self) -> None:
        """Closes this page, the visitor's one that was used longest ago, in favour of another."""
        self._visitor.pages.remove(self)
        words = f"Too many tabs are open (at most {MOST_SOCKETS}): this one was paused. Reload it."
        self._closing = asyncio.create_task(self._socket.close(_CROWDED, words))

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

    async def _take(self, data: str) -> None:
        try:
            await self._obey(messages.FROM_PAGE.decode(data))
        except msgspec.MsgspecError as error:
            log_refusal(self._socket, f"a malformed message: {error}")
            self._tell(messages.Failed(for_page(malformed_message(data, error))))
        except rz.RulezeroError as error:
            log_refusal(self._socket, str(error))
            self._tell(messages.Failed(for_page(str(error))))

    async def _obey(self, message: messages.FromPage) -> None:
        if isinstance(message, messages.Ping):
            self._tell(messages.Pong())
            return
        self.used = time.monotonic()
        if isinstance(message, messages.NewTable):
            game = self._host.games.open(message.game, message.pieces)
            host = self._host
            table = Table(self._visitor, self._client, host.thinker, host.tables, game, message)
            try:
                await self._show(table)
            except rz.RulezeroError:
                table.close()
                raise
            self._visitor.keep(table)
            return
        if isinstance(message, messages.Resume):
            found = self._visitor.find(message.table)
            if found is None:
                log_refusal(self._socket, "the game of another visitor, or a forgotten one")
                words = "this game is not on the server: it is begun again"
                self._tell(messages.Failed(words, "gone"))
                return
            await self._show(found)
            return
        if self._table is None:
            raise rz.GameError("no game is open: begin one first")
        self._obey_at(self._table, message)

    async def _show(self, table: Table) -> None:
        self._credit -= table.plies / PLIES_OF_A_MESSAGE
        await table.wake()
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
