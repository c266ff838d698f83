#!/bin/sh
# pydantic counts a text's characters as "items" where max_length stands behind a validator: users who send a text that
# is too long are told of items. StringConstraints before the validator says characters.
# Run with a Python that has pydantic: PYTHON=.venv/bin/python sh findings/pydantic-length-behind-a-validator.sh
${PYTHON:-python3} - <<'PY'
from typing import Annotated

from pydantic import VERSION, AfterValidator, Field, StringConstraints, TypeAdapter, ValidationError

print("pydantic", VERSION)
for kind in (
    Annotated[str, AfterValidator(str), Field(max_length=2)],
    Annotated[str, StringConstraints(max_length=2), AfterValidator(str)],
):
    try:
        TypeAdapter(kind).validate_python("abc")
    except ValidationError as error:
        print(error.errors()[0]["msg"])
PY
