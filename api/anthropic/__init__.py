"""Anthropic's API, under /anthropic: its routes, and how messages become chat completions and come back."""
