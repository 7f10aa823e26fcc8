"""GPU hours and costs: those of the original Ultimate Random Chess plan, and every recipe's."""

import datetime
import itertools
import math
from pathlib import Path

import pytest

from rulezero import config
from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.nets.config import NetConfig
from rulezero.nets.size import size_of
from rulezero.reports.cost import offers
from rulezero.reports.cost.offers import PricesError, Range
from rulezero.reports.cost.plan import gpu_work, hours_on, plan
from rulezero.training.estimate import Estimate
from rulezero.training.lengths import play_quickly
from rulezero.training.work import Count, typical

REFERENCE = "A100 80GB"
OWN = "date: 2026-01\noffers: [{gpu: A100 80GB, provider: me, price: 0.5}]\n"


def rows(kind: str) -> list[list[str]]:
    """The original plan's rows of one kind, as lists of cells."""
    path = Path(__file__).parents[1] / "golden" / "cost.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [line.split(": ", 1)[1] for line in lines if line.startswith(f"{kind}: ")]
    return [[cell.strip() for cell in line.split("|")] for line in found]


def ends(cell: str) -> Range:
    """The minimum and maximum of a cell such as 50-100, 50 or 10000+."""
    if cell.endswith("+"):
        return float(cell[:-1]), math.inf
    least, _, most = cell.partition("-")
    return float(least), float(most or least)


def price(gpu: str, provider: str) -> float:
    """The lowest price of this offer in the package's price file."""
    (found,) = [o for o in offers.newest().offers if (o.gpu, o.provider) == (gpu, provider)]
    return found.price[0]


def test_the_shipped_prices_are_the_original_plans() -> None:
    """Offers, levels, the discount of spot instances and the date are those of the plan."""
    prices = offers.newest()
    assert [(o.gpu, o.provider, o.price) for o in prices.offers] == [
        (gpu, provider, ends(cell)) for gpu, provider, cell in rows("price")
    ]
    assert [(s.name, s.hours, s.result) for s in prices.levels.steps] == [
        (name, ends(hours)[0], result) for name, hours, _, _, result in rows("level")
    ]
    assert prices.spot == ends(rows("spot")[0][0])
    assert prices.date == "2025-12"


@pytest.mark.parametrize(("column", "offer"), [(2, (REFERENCE, "Thunder Compute")),
                                               (3, ("H100 80GB", "RunPod"))])  # fmt: skip
def test_hours_times_price_is_the_original_plans_cost(column: int, offer: tuple[str, str]) -> None:
    """Costs are exact with prices rounded to ten cents, as in the plan; else within 3 %."""
    told = price(*offer)
    for row in rows("level"):
        for hours, dollars in zip(ends(row[1]), ends(row[column]), strict=True):
            assert hours * round(told, 1) == dollars
            assert hours == math.inf or hours * told == pytest.approx(dollars, rel=0.03)


@pytest.mark.parametrize("row", rows("tier"), ids=lambda row: row[0])
def test_the_tiers_take_the_original_plans_hours(row: list[str]) -> None:
    """With one speed, all tiers are in the plan's ranges; tier 1 is about 50 hours and $40."""
    preset, blocks, channels, sims, games, hours, dollars, budget = row
    experiment, prices = config.load("random_chess", preset), offers.newest()
    found = plan(experiment, prices)
    work = found.work
    assert (experiment.net.blocks, experiment.net.channels) == (int(blocks), int(channels))
    (played,) = [each for each in work.counts if each.part == "self-play"]
    assert played.games == int(games)
    assert played.evaluations == played.choices * int(sims)
    assert work.evaluations == pytest.approx(played.evaluations, rel=0.01)  # trials are few
    ours = hours_on(REFERENCE, work, prices)
    (quote,) = [q for q in found.quotes if (q.gpu, q.price[0]) == (REFERENCE, 0.78)]
    assert quote.hours == ours
    if "-" in hours:
        assert ends(hours)[0] <= ours <= ends(hours)[1]
        assert ends(dollars)[0] <= quote.dollars[0] <= ends(dollars)[1]
        assert ends(budget)[0] <= quote.dollars[0] <= ends(budget)[1]
    else:  # a single figure is rounded to tens
        assert (round(ours, -1), round(quote.dollars[0], -1)) == (float(hours), float(dollars))


def test_levels_go_by_work() -> None:
    """Each tier reaches its own level, and `full` the last one; other games have no levels."""
    prices = offers.newest()
    presets = ("tier1", "tier2", "tier3", "full")
    plans = [plan(config.load("random_chess", preset), prices, speed=1e9) for preset in presets]
    assert [p.level.name if p.level else "" for p in plans] == [row[0] for row in rows("level")]
    assert plan(config.load("razzle", "full"), prices).level is None
    assert hours_on(REFERENCE, plans[-1].work, prices) > 10_000


def test_spot_and_fp16_only_save() -> None:
    """Spot reduces the price; half precision reduces the computing time, not the waiting time."""
    prices, experiment = offers.newest(), config.load("random_chess", "tier3")
    plain, spot = plan(experiment, prices), plan(experiment, prices, is_spot=True)
    assert plain.quotes[0].gpu == spot.quotes[0].gpu == "A100 40GB"
    assert spot.quotes[0].dollars == pytest.approx(
        (plain.quotes[0].dollars[0] * 0.3, plain.quotes[0].dollars[1] * 0.5)
    )
    fast = hours_on(REFERENCE, plain.work, prices, is_fp16=True)
    assert plain.work.evaluations * prices.speed.wait * 1e-6 / 3600 < fast < plain.quotes[0].hours


def test_a_stated_speed_is_all_that_counts() -> None:
    """With --speed, hours are evaluations, and samples times their cost, divided by the speed."""
    prices, experiment = offers.newest(), config.load("connect4", "full")
    found = plan(experiment, prices, speed=1000)
    all_of_it = found.work.evaluations + prices.speed.learning * found.work.samples
    assert {quote.hours for quote in found.quotes} == {all_of_it / 1000 / 3600}


def test_a_net_s_multiply_adds_are_counted() -> None:
    """Counted by hand: stem, blocks and heads of a small tower for Connect Four's 6 x 7 board."""
    game = load("connect4")
    planes, squares = game.facts.planes[0], 42
    convolutions = planes * 16 * 9 + 2 * 2 * 16 * 16 * 9 + 16 * 8 + 16 * 8
    linear = 8 * squares * game.facts.slots + 8 * squares * 64 + 64 * 3
    _, counted = size_of("connect4", NetConfig(blocks=2, channels=16))
    assert counted == convolutions * squares + linear


@pytest.mark.parametrize("recipe", ["connect4", "razzle"])
def test_every_preset_has_a_plan(recipe: str) -> None:
    """A larger preset needs more of everything."""
    works = [gpu_work(config.load(recipe, preset)) for preset in config.presets_of(recipe)]
    for less, more in itertools.pairwise(works):
        assert less.evaluations < more.evaluations
        assert less.samples < more.samples
        assert less.multiply_adds < more.multiply_adds


def test_without_a_net_there_is_nothing_to_rent() -> None:
    """Without a net for a GPU there is one line instead of offers; hours here are still given."""
    changes = ["selfplay.a=ucb1:sims=20", "anchor=null", "bootstrap=[]"]
    for experiment in (config.load("razzle", "small", changes), config.load("distill", "tiny")):
        with pytest.raises(RunError, match=r"no player in the preset .* has a net for a GPU"):
            plan(experiment, offers.newest())
        here = Estimate(workers=1, parameters=1, counts=(), seconds={"start": 1.0})
        assert plan(experiment, offers.newest(), here=here).quotes == ()


def test_measured_games_count_as_they_were() -> None:
    """A plan from a measured estimate uses the estimate's counts."""
    counts = (Count(part="self-play", games=2, choices=10.0, evaluations=7.2e6),)
    here = Estimate(workers=1, parameters=1, counts=counts, seconds={"self-play": 1.0})
    found = plan(config.load("razzle", "tiny"), offers.newest(), speed=1000, here=here)
    assert {quote.hours for quote in found.quotes} == {2.0}
    assert found.here == here


@pytest.mark.parametrize("name", ["connect4", "razzle", "random_chess"])
def test_known_lengths_are_near_those_of_quick_games(name: str) -> None:
    """Typical lengths are within a third of measured ones. Monster's trained nets play longer."""
    known, _ = typical(name)
    assert play_quickly(load(name), 32)[0] == pytest.approx(known, rel=1 / 3)


def test_own_prices_need_only_a_date_and_offers(tmp_path: Path) -> None:
    """Everything else is taken from the package's file; GPUs may be added."""
    path = tmp_path / "mine.yaml"
    path.write_text(OWN + "gpus: {B200: {tflops: 1100}}\n", encoding="utf-8")
    mine, shipped = offers.read(path), offers.newest()
    assert mine.offers == (offers.Offer(gpu="A100 80GB", provider="me", price=(0.5, 0.5)),)
    assert (mine.spot, mine.speed, mine.levels) == (shipped.spot, shipped.speed, shipped.levels)
    assert mine.gpus["B200"] == offers.Gpu(tflops=1100, fp16=1)
    assert mine.gpus["H100 80GB"] == shipped.gpus["H100 80GB"]
    assert not mine.is_old(datetime.date(2027, 1, 1))
    assert mine.is_old(datetime.date(2027, 1, 2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OWN.replace("price:", "prize:"), ":2: key 'prize' is unknown .* did you mean price?"),
        (OWN + "sport: 0.5", ":3: key 'sport' is unknown in the file; did you mean spot?"),
        (OWN.replace("0.5", "cheap"), ":2: price is 'cheap'; give a number from 0 to"),
        (OWN.replace("0.5", "-1"), ":2: price is '-1'; give a number"),
        (OWN.replace("0.5", ".nan"), ":2: price is '.nan'; give a number"),
        (OWN.replace("0.5", "[2, 1]"), ":2: price is not a range; give one number, or"),
        (OWN.replace("80GB", "8GB"), ":2: gpu is 'A100 8GB'; did you mean A100 80GB?"),
        (OWN.replace("2026-01", "2026-13"), ":1: date is '2026-13'; give a month or a day"),
        (OWN.replace("2026-01", "January"), ":1: date is 'January'; give a month or a day"),
        (OWN + "spot: [0.5, 1.5]", ":3: entry 2 of spot is '1.5'; give a number from 0 to 1"),
        (OWN + "gpus: {X: {tflops: 0}}", ":3: tflops is '0'; give a number from"),
        ("date: 2026-01\noffers: []", ":2: offers has 0 entries; give at least 1"),
        ("date: 2026-01", "the file has no offers; add a line `offers: ...`"),
        ("- 1", "the file is a list; give a map"),
        ("date: [", "this is not YAML"),
        ("", "the file is empty; give a map"),
    ],
)
def test_a_wrong_price_file_says_where(tmp_path: Path, text: str, words: str) -> None:
    """The error names the line, what is wrong with it, and what to do."""
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PricesError, match=words.replace("?", r"\?").replace(r".*\?", ".*?")):
        offers.read(path)


def test_a_mistake_in_the_only_offer_is_named(tmp_path: Path) -> None:
    """The error names the mistake, and does not say that there are no offers."""
    path = tmp_path / "prices.yaml"
    path.write_text(OWN.replace("price:", "prise:"), encoding="utf-8")
    with pytest.raises(PricesError, match="key 'prise' is unknown"):
        offers.read(path)
