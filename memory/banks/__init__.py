"""Memory banks: what is known of a project, a code base or a user, as Markdown files that are read whole.

A bank's versions are a log: the insert of a document commits an update. Content is placed by directives, a model or
rules, merged, condensed when large, and written to files behind that.
"""

from memory.banks.activations import Activations, Active, Begun, Client, Connections
from memory.banks.bank import Bank, BankError, BankFile, BankInfo, BankVersion, Updated
from memory.banks.banks import LONGEST_NAME, Banks, instructions
from memory.banks.decisions import FILE_NAME, Done, Operation
from memory.banks.folder import LOCK, BankFolder, Written
from memory.banks.ids import GLOBAL_ID, ID_PATTERN, BankId, NamedBank, bank_key
from memory.banks.markdown import tokens_of
from memory.banks.omissions import versions_named
from memory.banks.room import BankLibrary, open_library
from memory.banks.sections import BankSections
from memory.banks.store import BankStore, Reason, Severity, version_key
from memory.banks.tidying import BankTidying
from memory.banks.types import BANK_TYPES, BankType
from memory.banks.update import LONGEST_UPDATE, BankUpdate
from memory.banks.writing import BankWriter

__all__ = [
    "BANK_TYPES",
    "FILE_NAME",
    "GLOBAL_ID",
    "ID_PATTERN",
    "LOCK",
    "LONGEST_NAME",
    "LONGEST_UPDATE",
    "Activations",
    "Active",
    "Bank",
    "BankError",
    "BankFile",
    "BankFolder",
    "BankId",
    "BankInfo",
    "BankLibrary",
    "BankSections",
    "BankStore",
    "BankTidying",
    "BankType",
    "BankUpdate",
    "BankVersion",
    "BankWriter",
    "Banks",
    "Begun",
    "Client",
    "Connections",
    "Done",
    "NamedBank",
    "Operation",
    "Reason",
    "Severity",
    "Updated",
    "Written",
    "bank_key",
    "instructions",
    "open_library",
    "tokens_of",
    "version_key",
    "versions_named",
]
