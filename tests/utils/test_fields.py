"""Addresses of images, as they are kept."""

import pytest
from pydantic import TypeAdapter

from utils.fields import ImageAddress


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("data:image/png;base64,iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="),
        ("data:IMAGE/PNG;BASE64,AAB=", "data:image/png;base64,AAA="),  # spare bits are dropped
        ("data:image/svg+xml;charset=utf-8;base64,AAAA", "data:image/svg+xml;charset=utf-8;base64,AAAA"),
        ("HTTPS://pictures.test/a.png?x=1", "HTTPS://pictures.test/a.png?x=1"),
    ],
)
def test_the_same_image_has_the_same_address(address: str, kept: str) -> None:
    assert TypeAdapter(ImageAddress).validate_python(address) == kept
