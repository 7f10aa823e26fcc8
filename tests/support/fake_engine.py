"""A UCI engine for tests: python fake_engine.py MODE [FILE]. Most modes misbehave.

It plays by python-chess, an independent implementation of the rules. With a FILE, it writes its
process number there.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import chess

SPEAKS = {"castle", "random", "slow", "patient", "loud", "stubborn"}  # modes that play


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def misbehave(mode: str) -> None:
    """What it does instead of a move."""
    if mode == "hang":
        time.sleep(600)
    elif mode == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "exit":
        sys.exit(3)
    elif mode == "cheat":
        say("bestmove e1e8")
    elif mode == "resign":
        say("bestmove (none)")
    elif mode == "silent":
        say("bestmove")
    elif mode == "garbage":
        sys.stdout.buffer.write(bytes(range(256)) * 10 + b"\nbestmove \xff\xfe\x1b[31m\n")
        sys.stdout.flush()
    elif mode == "flood":
        while True:
            sys.stdout.write("info depth 1 score cp 0 nodes 1 pv e2e4\n" * 1000)
    elif mode == "endless":
        while True:
            sys.stdout.write("x" * 10000)


def choose(board: chess.Board, mode: str, dice: random.Random) -> chess.Move:
    """Castling if it can castle, otherwise any move that keeps king and rooks at home."""
    moves = sorted(board.legal_moves, key=str)
    if mode == "castle":
        home = [
            move
            for move in moves
            if board.piece_type_at(move.from_square) not in (chess.KING, chess.ROOK)
        ]
        moves = [move for move in moves if board.is_castling(move)] or home or moves
    return dice.choice(moves)


def main() -> None:
    """Answers until its input ends; a stubborn one never ends."""
    mode = sys.argv[1]
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(str(os.getpid()), encoding="ascii")
    if mode == "stubborn":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
    if mode == "loud":
        print("this is not for the user", file=sys.stderr, flush=True)
    dice = random.Random(1)
    is_960, board = False, chess.Board()
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "uci":
            if mode == "mute":
                continue
            say("id name fake")
            say("option name Skill Level type spin default 20 min 0 max 20")
            say("option name UCI_Chess960 type check default false")
            say("uciok")
        elif word == "isready":
            say("readyok")
        elif word == "setoption":
            is_960 = is_960 or rest == ["name", "UCI_Chess960", "value", "true"]
        elif word == "position":
            fen, _, moves = " ".join(rest[1:]).partition(" moves ")
            board = chess.Board(fen, chess960=is_960)
            for move in moves.split():
                board.push_uci(move)
        elif word == "go" and mode == "patient":
            continue  # until it is told to stop
        elif word in ("go", "stop"):
            if mode not in SPEAKS:
                misbehave(mode)
                continue
            if mode == "slow":
                time.sleep(0.3)
            answer = choose(board, mode, dice)
            say(f"info depth 3 score cp 100 nodes 1234 pv {board.uci(answer)}")
            say(f"bestmove {board.uci(answer)} ponder a1a1")
    while mode == "stubborn":
        time.sleep(1)


if __name__ == "__main__":
    main()
