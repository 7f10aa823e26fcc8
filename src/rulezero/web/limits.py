"""What a visitor of the page may use. The numbers suit a small public server."""

MOST_SIMS = 20_000  # simulations of a choice
MOST_DEPTH = {"alphabeta": 6, "scripted": 6}  # plies, by the kind of player
CHOICE_SECONDS = 5.0  # a player that thinks longer chooses with what it knows
OWNER_SECONDS = 60.0  # the same for the owner of the server
LIVE_SIMS = (100, 400, 1_600, 6_400, 25_600)  # stages of an analysis; each is shown
REVIEW_SIMS = 400  # simulations of each position of a finished game
MOST_PLIES = 5_000  # of a game, so that its messages stay small
MOST_BYTES = 64 << 10  # of a message, a body, or a file with pieces
MOST_PIECES = 1_000  # files with pieces of visitors; those used longest ago are deleted
MOST_TABLES = 8  # games that a visitor has at the same time; the oldest are forgotten
MOST_VISITORS = 5_000  # visitors that the server remembers; those away longest are forgotten
MOST_TABLE_BYTES = 256 << 20  # memory of all games; those that no page shows are forgotten first
MOST_TABLE_BYTES_OF_ADDRESS = 48 << 20  # the same for the visitors at one address
MOST_SOCKETS = 16  # open connections of a visitor
MOST_SOCKETS_OF_ADDRESS = 96
MOST_WAITING = 200  # searches that wait; more are refused, or take the place of another address
MOST_ALONE = 16  # games without a person that go on at the same time
MOST_ALONE_OF_ADDRESS = 2
MESSAGES_PER_SECOND = 30.0  # of a connection, on average
MESSAGES_AT_ONCE = 120
BYTES_OF_A_MESSAGE = 1_000  # a message counts once more for each of these: long games take time
PLIES_OF_A_MESSAGE = 100  # the same for a game that is shown again
