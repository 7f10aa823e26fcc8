"""Who plays a game on the page."""

from typing import NamedTuple

import rulezero as rz
from rulezero.play.binding import check_player
from rulezero.web.play import messages
from rulezero.web.play.budget import admitted
from rulezero.web.visitors import Visitor


class Seat(NamedTuple):
    """Who sits in one seat."""

    given: str  # a player's text, or level:NAME
    player: rz.Player

    def shown(self) -> messages.PlayerShown:
        """For the page."""
        if self.player.is_human:
            return messages.PlayerShown("human", "you", self.player.text)
        name = self.given.removeprefix("level:")
        return messages.PlayerShown(
            "level" if name != self.given else "player", name, self.player.text
        )


class Seats(NamedTuple):
    """Both seats."""

    first: Seat
    second: Seat

    @property
    def is_alone(self) -> bool:
        """Whether no person plays."""
        return not (self.first.player.is_human or self.second.player.is_human)

    def shown(self) -> tuple[messages.PlayerShown, messages.PlayerShown]:
        """For the page."""
        return self.first.shown(), self.second.shown()

    def is_person(self, state: rz.State) -> bool:
        """Whether a person is to choose."""
        return state.mover in (0, 1) and self[state.mover].player.is_human


def seated(players: tuple[str, str], game: rz.Game, visitor: Visitor) -> Seats:
    """The players of these texts. PlayerError, NetError or GameError if one cannot play here."""

    def sit(seat: int, given: str) -> Seat:
        player = admitted(given, game, seat, is_owner=visitor.is_owner)
        check_player(player, game)
        return Seat(given, player)

    return Seats(sit(0, players[0]), sit(1, players[1]))
