"""What is known of languages: what a text does, what a question asks for, times in words, and the words themselves.

Acts are told by borders over the encoder in every language alike; dates, codes and function words by rules and tables,
a file a language. It knows no other room, and nothing is imported past this face.
"""

from memory.language.courtesy import is_courtesy
from memory.language.ends import End, asks_for_all, asks_for_kept, end_asked_for
from memory.language.heads import EVEN, LONGEST, Deed, Doing, asked_by, doing
from memory.language.languages import ENGLISH, LONGEST_WORD, SHORTEST_WORD, are_words, is_foreign, language_of
from memory.language.person import USER, is_past, spelled_out, third_person
from memory.language.questions import (
    MOST_NAMES,
    Ask,
    Question,
    asked_in,
    asks_of_assistant,
    asks_of_then,
    asks_whether_told,
    capitalised,
    has_pronoun,
    names_own,
    questions_in,
    read_question,
    tells_of_then,
    told_in_question,
    with_pronouns_named,
)
from memory.language.quotations import LEFT_OUT, own_words
from memory.language.summaries import extend_by_rules, only_asks, shortened, summarise_by_rules, weight
from memory.language.times.clock import asks_for_present
from memory.language.times.moments import tells_a_day, with_dates, without_words_of_dates
from memory.language.times.periods import DAY, Span
from memory.language.times.spans import asks_only_for_a_time, nearness, spans_of
from memory.language.times.translated_times import stems_in_english
from memory.language.traits import Trait, traits_of
from memory.language.words import ENGLISH_ALONE

__all__ = [
    "DAY",
    "ENGLISH",
    "ENGLISH_ALONE",
    "EVEN",
    "LEFT_OUT",
    "LONGEST",
    "LONGEST_WORD",
    "MOST_NAMES",
    "SHORTEST_WORD",
    "USER",
    "Ask",
    "Deed",
    "Doing",
    "End",
    "Question",
    "Span",
    "Trait",
    "are_words",
    "asked_by",
    "asked_in",
    "asks_for_all",
    "asks_for_kept",
    "asks_for_present",
    "asks_of_assistant",
    "asks_of_then",
    "asks_only_for_a_time",
    "asks_whether_told",
    "capitalised",
    "doing",
    "end_asked_for",
    "extend_by_rules",
    "has_pronoun",
    "is_courtesy",
    "is_foreign",
    "is_past",
    "language_of",
    "names_own",
    "nearness",
    "only_asks",
    "own_words",
    "questions_in",
    "read_question",
    "shortened",
    "spans_of",
    "spelled_out",
    "stems_in_english",
    "summarise_by_rules",
    "tells_a_day",
    "tells_of_then",
    "third_person",
    "told_in_question",
    "traits_of",
    "weight",
    "with_dates",
    "with_pronouns_named",
    "without_words_of_dates",
]
