"""docs/results.md: every section is the output of a proof, and names the machine it ran on."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROOFS = {path.stem for path in (ROOT / "proofs").glob("*.py")} - {"proof"}
# `make proof-razzle`, 2026-11-18, on 2 cores of AMD EPYC avx2 avx512f.
MADE = re.compile(
    r"`make proof-(\w+)`, 20\d\d-\d\d-\d\d, on \d+ cores? of \S.* (avx\w*|neon|sse\w*)\b"
)


def sections(text: str) -> dict[str, str]:
    """The sections of a page by their headings."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_section_names_its_command_and_its_machine() -> None:
    """The first line of a section names the command, the date and the instruction set."""
    found = sections((ROOT / "docs" / "results.md").read_text(encoding="utf-8"))
    commands = []
    for heading, section in found.items():
        made = MADE.match(section.strip())
        assert made, f"'{heading}' does not begin as proofs write it: {section.strip()[:100]}"
        commands.append(made[1])
    assert sorted(set(commands)) == sorted(commands)
    writers = {
        path.stem
        for path in (ROOT / "proofs").glob("*.py")
        if re.search(r"^\s*write\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert set(commands) == writers <= PROOFS


def test_presets_that_were_never_run_are_marked() -> None:
    """docs/training.md says which presets have been run to their end."""
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    paragraph = next(part for part in text.split("\n\n") if "never been run to the end" in part)
    for words in ("`tiny`", "`small`", "`full`", "tiers of random_chess"):
        assert words in paragraph
