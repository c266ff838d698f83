"""Memory banks: what is known of a project, a code base or a user, as Markdown files that are read whole.

A bank's versions are a log: the insert of a document commits an update. Content is placed by directives, a model or
rules, merged, condensed when large, and written to files behind that.
"""

from memory.banks.activations import Active, Begun, Client, Connections
from memory.banks.bank import Bank, BankInfo, BankVersion, Updated
from memory.banks.banks import LONGEST_NAME, Banks, instructions
from memory.banks.decisions import Operation
from memory.banks.folder import LOCK, BankFolder, WrittenBank
from memory.banks.ids import ID_PATTERN, BankId, bank_id, bank_key
from memory.banks.markdown import tokens_of
from memory.banks.omissions import versions_named
from memory.banks.room import BankLibrary, open_library
from memory.banks.store import Reason, Severity
from memory.banks.types import BANK_TYPES, BankType
from memory.banks.update import LONGEST_UPDATE, BankUpdate

__all__ = [
    "BANK_TYPES",
    "ID_PATTERN",
    "LOCK",
    "LONGEST_NAME",
    "LONGEST_UPDATE",
    "Active",
    "Bank",
    "BankFolder",
    "BankId",
    "BankInfo",
    "BankLibrary",
    "BankType",
    "BankUpdate",
    "BankVersion",
    "Banks",
    "Begun",
    "Client",
    "Connections",
    "Operation",
    "Reason",
    "Severity",
    "Updated",
    "WrittenBank",
    "bank_id",
    "bank_key",
    "instructions",
    "open_library",
    "tokens_of",
    "versions_named",
]
