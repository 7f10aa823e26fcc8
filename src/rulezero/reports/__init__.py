"""Reports on runs and nets for people: diagnoses, ratings, costs and an HTML page."""

from rulezero.reports.cost import offers
from rulezero.reports.cost.offers import Prices, Range
from rulezero.reports.cost.plan import Plan
from rulezero.reports.diagnosis import Diagnosis, Judgement
from rulezero.reports.page import say_duration
from rulezero.training.work import Count

__all__ = ["Count", "Diagnosis", "Judgement", "Plan", "Prices", "Range", "offers", "say_duration"]
