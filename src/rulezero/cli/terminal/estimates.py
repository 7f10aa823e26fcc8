"""The words for an estimate for this machine."""

import rulezero as rz

_HOUR = 3600  # seconds


def say_estimate(found: rz.runs.Estimate) -> list[str]:
    """What an experiment takes here: a line in all, and a line for each part."""
    who = ("thread", "threads") if found.has_threads else ("worker process", "worker processes")
    lines = [
        f"{say_time(3600 * found.hours)} in all, with {found.workers} {who[found.workers != 1]}"
    ]
    counts: dict[str, rz.reports.Count] = {each.part: each for each in found.counts}
    for part, seconds in found.seconds.items():
        words = f"{part}: {say_time(seconds)}"
        known = counts.get(part)  # the start has none
        if known is not None and known.games:
            words += f" for {known.games:,} games of {known.choices / known.games:.0f} choices"
        elif known is not None and known.samples:
            words += f" for {known.samples:,.0f} samples"
        lines.append(words)
    return lines


def say_time(seconds: float) -> str:
    """Hours; minutes where there is less than one, and seconds where there is less than that."""
    if seconds < 60:
        return f"{seconds:.1f} seconds"
    number, unit = (seconds / _HOUR, "hours") if seconds >= _HOUR else (seconds / 60, "minutes")
    digits = 2 if number < 1 else 1 if number < 10 else 0
    return f"{number:,.{digits}f} {unit}"
