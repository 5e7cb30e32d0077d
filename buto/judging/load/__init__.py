"""Judging under a load that varies: what the rates of requests explain is taken out first."""
