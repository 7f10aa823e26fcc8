"""What an experiment costs."""

import msgspec


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment on this machine."""

    parameters: int  # of the net
    positions_per_second: float  # that one worker evaluates
    samples_per_second: float  # that the learner learns from
    choices_per_game: float  # in random play
    sims_per_choice: float
    hours: float  # of self-play and fits; trials come on top
