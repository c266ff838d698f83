"""`loci settings`: every setting with its source."""

import os
from collections.abc import Iterator

from dotenv import dotenv_values
from pydantic import SecretStr

from config.settings import Settings
from utils.text import masked


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Name, value, source and description of every setting; secrets are masked."""
    settings = Settings()
    environment = {name.upper() for name, value in os.environ.items() if value}
    file = {name.upper() for name, value in dotenv_values(".env").items() if value}
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        upper = name.upper()
        source = "environment" if upper in environment else ".env" if upper in file else "default"
        shown = (
            masked(value.get_secret_value()) if isinstance(value, SecretStr) else "" if value is None else str(value)
        )
        yield upper, shown, source, field.description or ""
