"""Measurements, each a command: `python -m bench.NAME`. Figures are ratios to a baseline taken in the same run."""
