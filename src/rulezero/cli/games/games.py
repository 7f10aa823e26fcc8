"""`rulezero games`: what can be played and trained, and the games' rule options."""

import rulezero as rz
from rulezero.cli.terminal.screen import open_console, plain_table


def games() -> None:
    """List the games, the recipes that train them, and the games' rule options."""
    console = open_console()
    sizes = plain_table(
        console, "game", "board", ">actions", ">slots", "planes", ">max plies", "dice", ">rules"
    )
    options = plain_table(console, "rule option", "default", "meaning")
    for name, known in sorted(rz.game_options().items()):
        facts = rz.load(name).facts
        sizes.add_row(
            f"[bold cyan]{name}[/]",
            "x".join(map(str, facts.board)),
            str(facts.actions),
            str(facts.slots),
            "x".join(map(str, facts.planes)),
            str(facts.max_plies),
            "yes" if facts.has_chance else "no",
            f"v{facts.version}",
        )
        for option, fallback, help_text in known:
            options.add_row(f"[cyan]{name}[/]:[bold]{option}[/]=", fallback, help_text)
    console.print(sizes)
    recipes = plain_table(console, "recipe", "game", "presets")
    for name, game, presets in rz.config.catalogue():
        recipes.add_row(f"[bold cyan]{name}[/]", game, ", ".join(presets))
    console.print(recipes)
    if options.row_count:
        console.print(options)
