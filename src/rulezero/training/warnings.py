"""Warnings: signs that a run learns nothing, each with the remedy to try first."""

from rulezero.contest.match import about_copies
from rulezero.learn.fit import Fit, LossSettings
from rulezero.learn.measures import Measures
from rulezero.play.task import Task
from rulezero.stats.tally import Counts, Tally

_ONE_SIDED = 0.95
_DRAWISH = 0.5
_LEAST_LEGAL = 0.5
_LEAST_SPREAD = 0.005  # of values and of policies; below this, they are the same everywhere
_FEWEST = 50  # minimum number of games or held-out positions for a warning


def about_fit(fit: Fit, settings: LossSettings) -> dict[str, str]:
    """Warnings about a fit with this loss, by name."""
    held_out = fit.held_out
    if held_out is None or held_out.positions < _FEWEST:
        return {}
    net, constant = held_out.net, held_out.constant
    found = {}
    if net.policy >= constant.policy:
        found["policy"] = (
            f"the policy loss {net.policy:.4g} is not below the best constant's"
            f" {constant.policy:.4g}: try a higher fit.rate.start, or more fit.samples_per_ply"
        )
    if net.value >= constant.value:
        found["value"] = (
            f"the value loss {net.value:.4g} is not below the best constant's"
            f" {constant.value:.4g}: the window may be too small; try more games or window.plies"
        )
    if net.legal_mass < _LEAST_LEGAL and settings.teaches_legality:
        found["legal_mass"] = (
            f"only {net.legal_mass:.0%} of the policy is on legal moves, which does not harm a"
            " search: to change this, raise fit.loss.illegal or set fit.loss.policy_over=all"
        )
    if same := constant_outputs(held_out):
        found["constant"] = (
            f"the net's {same} hardly differ from position to position: try more"
            " fit.samples_per_ply, or a lower fit.rate.start if the losses have jumped"
        )
    return found


def constant_outputs(measured: Measures) -> str:
    """Which of a net's answers are the same for all positions: values, policies, both or ""."""
    spreads = {"values": measured.value_spread, "policies": measured.policy_spread}
    return " and ".join(name for name, spread in spreads.items() if spread < _LEAST_SPREAD)


def about_games(first: Counts) -> dict[str, str]:
    """Warnings about games with these results of the first seat, by name."""
    if first.games < _FEWEST:
        return {}
    found = {}
    if not 1 - _ONE_SIDED <= first.score <= _ONE_SIDED:
        winner = 0 if first.score > 0.5 else 1
        found["one_sided"] = (
            f"seat {winner} wins nearly always: play from other starts, or with random openings"
        )
    if first.draws / first.games > _DRAWISH:
        found["draws"] = (
            f"{first.draws / first.games:.0%} of the games are drawn: try draw_value below 0 in the"
            " self-play seat, or a higher temperature"
        )
    return found


def about_trial(task: Task, tally: Tally) -> dict[str, str]:
    """Warnings about a trial with these results, by name."""
    group = "gate" if task.purpose == "gate" else "anchor"
    words = about_copies(tally.different, tally.games, task.opening, f"{group}.opening=")
    found = {}
    if words:
        found["copies"] = f"{group}: {words}"
    return found
