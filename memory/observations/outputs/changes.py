"""What will a tool change, or what has it changed, and what of that is lost: "aws_s3_bucket.logs will be destroyed"?"""

import re
from collections.abc import Sequence

from memory.observations.outputs.note_labels import plain

MOST_BELOW = 60  # lines below what is replaced in which stands why

_THING = r"(?=\S*[._/:\[])\S*[\w\])\"'](?: \(\w[^()]{0,40}\))?"  # an address, a path or a name of code
_LOST = r"destroyed|deleted|removed|dropped|replaced|tainted|uninstalled|pruned"
_CHANGED = rf"{_LOST}|created|updated|changed|modified|imported|moved|configured|patched|scaled|added|renamed"
_CHANGE = re.compile(
    rf"{_THING} (?:(?:will|must) be|has been|(?=has changed\b)has) (?:{_CHANGED})\b"
    r"|\S+: (?:Destruction|Creation|Modifications|Import) complete\b"  # Terraform
    rf"|[\w.-]+(?:/| [\"'`])[\w.-]+[\"'`]? (?:{_CHANGED})$"  # kubectl, Helm
    r"|\[[-+~]\] \w+::\w+\S* \S"  # CDK
    r"|\*?deleting +\S*[./]\S*$"  # rsync
)
_LOSS = re.compile(
    rf"{_THING} (?:(?:will|must) be|has been) (?:{_LOST})\b|\S+: Destruction complete\b"
    rf"|[\w.-]+(?:/| [\"'`])[\w.-]+[\"'`]? (?:{_LOST})$"
    r"|\[-\] \w+::\w+\S* \S|\[~\] \w+::\w+\S* .*\breplace$|\*?deleting +\S*[./]\S*$"
    r"|.*[,;] (?:Plan|Action|Change|Operation):? (?:delete|destroy|replace|drop|remove)d?(?=[,;]|$)"  # a row of a table
)
_FORCED = re.compile(r"\s*+[-+~]*+\s*+(?P<what>\S.*?)(?<!\s)\s*+# forces replacement")


def changes_in(lines: Sequence[str]) -> dict[int, str]:
    """The lines that say what is changed, by their places; of what is replaced, with what forces that."""
    told: dict[int, str] = {}
    for at, line in enumerate(lines):
        said = plain(line)
        if _CHANGE.match(said) is None:
            if told and (forced := _FORCED.match(line)) is not None:
                last = next(reversed(told))
                if at - last <= MOST_BELOW and told[last].endswith("must be replaced"):
                    told[last] = plain(f"{told[last]} ({forced['what']})")
            continue
        told[at] = said
    return told


def is_loss(text: str) -> bool:
    """Whether a text says that something is destroyed, deleted or replaced."""
    return _LOSS.match(text) is not None
