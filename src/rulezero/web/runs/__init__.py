"""Runs on the page: what they log, and starting and stopping them."""
