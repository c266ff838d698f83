"""OpenAI's API: its routes, their shapes, and how their requests are read."""
