"""Facts about a user: sentences that are in force from one time to another, with history and undo.

Of each message a job of its own extracts facts and reconciles them with those in force, by a model or by rules; every
decision is committed before it is carried out.
"""

from memory.facts.facts import Decided, Event, Fact, Origin
from memory.facts.profile import ProfileChange, ProfileItem, Rank
from memory.facts.room import Knowledge, open_knowledge
from memory.facts.rules.attributes import (
    Attribute,
    attribute_meant,
    gives,
    named_in,
    value_given,
)
from memory.facts.rules.corrections import value_instead
from memory.facts.rules.extract import clauses, corrects, whom_meant, without_lead
from memory.facts.rules.keeping import (
    StatedValue,
    asks_not_to_keep,
    fact_meant,
    facts_near,
    key_and_value,
    key_named,
    keys_beside,
    keys_of_the_same,
    of_what,
    owned,
    place_beside,
    says_forget,
    statement_to_forget,
    statement_to_remember,
    told,
    unmarked,
    values_stated,
    without_asides,
)
from memory.facts.rules.leads import Said, has_lead, leads_of, said_in
from memory.facts.rules.reconcile import Add
from memory.facts.rules.statement import (
    VALUES,
    are_of_other_things,
    is_of_another_person,
    lasting_subject_of,
    stems_of,
    subject_of,
)
from memory.facts.store import BY_HAND

__all__ = [
    "BY_HAND",
    "VALUES",
    "Add",
    "Attribute",
    "Decided",
    "Event",
    "Fact",
    "Knowledge",
    "Origin",
    "ProfileChange",
    "ProfileItem",
    "Rank",
    "Said",
    "StatedValue",
    "are_of_other_things",
    "asks_not_to_keep",
    "attribute_meant",
    "clauses",
    "corrects",
    "fact_meant",
    "facts_near",
    "gives",
    "has_lead",
    "is_of_another_person",
    "key_and_value",
    "key_named",
    "keys_beside",
    "keys_of_the_same",
    "lasting_subject_of",
    "leads_of",
    "named_in",
    "of_what",
    "open_knowledge",
    "owned",
    "place_beside",
    "said_in",
    "says_forget",
    "statement_to_forget",
    "statement_to_remember",
    "stems_of",
    "subject_of",
    "told",
    "unmarked",
    "value_given",
    "value_instead",
    "values_stated",
    "whom_meant",
    "without_asides",
    "without_lead",
]
