"""The display of a distillation on the terminal."""

from typing import cast

from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.watch import Watch


class DistillWatch(Watch):
    """Prints the loss at regular intervals, too, and a summary at the end."""

    _iteration = 0

    def begin(self, iteration: int, phase: str) -> None:
        super().begin(iteration, phase)
        self._iteration = iteration

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        super().learned(step, steps, losses)
        regime, batch = (
            cast(rz.regimes.Distill, self._experiment.regime),
            self._experiment.fit.batch,
        )
        every = regime.progress_every
        if step * batch // every > (step - 1) * batch // every:
            words = say_progress(regime.stage_of(self._iteration), step * batch, losses)
            self._console.print(Text(f"{self._iteration:>4}  {words}"), soft_wrap=True)

    def logged(self, entry: rz.log.Entry) -> None:
        super().logged(entry)
        if isinstance(entry, rz.log.SummaryEntry):
            for line in say_summary(entry.summary):
                self._console.print(Text(line), soft_wrap=True)


def say_progress(stage: rz.regimes.Stage, positions: int, losses: dict[str, float]) -> str:
    """The losses so far in words."""
    sides = ", ".join(f"{name} {loss:.5f}" for name, loss in losses.items() if name != "value")
    return (
        f"mode {stage.mode} ({stage.name}): {positions:,} positions,"
        f" average loss {losses['value']:.5f}" + (f" ({sides})" if sides else "")
    )


def say_summary(summary: rz.log.Summary) -> list[str]:
    """The summary of a run in words."""
    lines = ["summary:", *(f"  {_say_stage(stage)}" for stage in summary.stages)]
    if summary.last_material is not None:
        lines.append(
            f"  material where the last game ended: {summary.last_material:+} centipawns for White,"
            f" {-summary.last_material:+} for Black"
        )
    return lines


def _say_stage(stage: rz.log.StageSummary) -> str:
    words = f"mode {stage.mode} ({stage.name}): {stage.positions:,} positions trained"
    if stage.loss is None:
        return words
    words += (
        f", average loss {stage.loss:.5f} (best constant {stage.idle_loss:.4f}), {stage.verdict}"
    )
    if stage.held_out is not None and stage.constant is not None:
        words += f"; held out {stage.held_out:.5f}, best constant {stage.constant:.4f}"
    return words
