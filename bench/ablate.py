"""What each rule is worth: `python -m bench.ablate [FAMILY…] [--list]`.

Runs the held-out bench of a family as it is, and once without each of its rules, which are replaced by what does
nothing. A row is the last line that the bench prints. The data were written without a look at the rules. A rule stays
where its row is worse by 0.5 points of recall, 1 point of needed values or of a view's size, or 3 points of right
answers with no more wrong ones; the table of the last run stands in `docs/decisions.md`.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from typing import Any


@dataclass(frozen=True)
class Rule:
    """`at`: the module that uses it and the name there. `instead`: what stands for it."""

    name: str
    at: tuple[str, str]
    instead: Any


def _always(value: object) -> Callable[..., Any]:
    return lambda *_, **__: value


def _first(value: Any, *_: object, **__: object) -> Any:
    return value


_NEVER = re.compile(r"(?!)")

BENCHES = {"answers": "bench.answers", "facts": "bench.facts", "views": "bench.views", "notes": "bench.notes",
           "filing": "bench.filing", "turns": "bench.answers --turns"}  # fmt: skip
RULES: dict[str, tuple[Rule, ...]] = {
    "answers": (
        Rule("the newer of two that say the same", ("agents.chat.choice", "_are_versions"), _always(False)),
        Rule("what asks is not quoted", ("agents.chat.choice", "_tells"), _always(True)),
        Rule("misspelt words", ("memory.recall.recaller", "respelt"), _first),
    ),
    "turns": (
        Rule("questions that a text joins", ("agents.chat.memory_agent", "questions_in"), lambda text: [text]),
        Rule("whom a pronoun means", ("agents.chat.memory_agent", "has_pronoun"), _always(False)),
        Rule("whether the assistant's words are asked for", ("agents.chat.choice", "asks_of_assistant"),
             _always(True)),
        Rule("the assistant's words in the ranking", ("memory.language.questions", "asks_of_assistant"),
             _always(False)),
        Rule("what was so once", ("agents.chat.choice", "tells_of_then"), _always(False)),
        Rule("whether something was told", ("agents.chat.answering", "asks_whether_told"), _always(False)),
        Rule("what a question tells", ("agents.chat.passages", "told_in_question"), _always(None)),
        Rule("all that was to be remembered", ("agents.chat.answering", "asks_for_kept"), _always(False)),
        Rule("courtesies", ("agents.chat.passages", "is_courtesy"), _always(False)),
    ),
    "facts": (
        Rule("what replaces what, by the encoder", ("memory.facts.rules.reconcile", "replaces"), _always(0.0)),
        Rule("what is said again, and what there is one of", ("memory.facts.rules.reconcile", "_decided_by_words"),
             _always([])),
        Rule("which of several is meant", ("memory.facts.rules.reconcile", "_may_be_several"), _always(False)),
        Rule("what is meant and what is not", ("memory.facts.rules.reconcile", "_in_place_of"),
             lambda _, new: new.text),
        Rule("whose words a sentence is", ("memory.facts.rules.leads", "_likely"), _always(0.0)),
        Rule("corrections of what was just told", ("memory.facts.learner", "in_full"), lambda stated, _: list(stated)),
        Rule("plans end plans alone", ("memory.facts.rules.reconcile", "_is_due"), _always(True)),
        Rule("clauses", ("memory.facts.rules.extract", "clauses"), lambda sentence: iter((sentence,))),
    ),
    "views": (
        Rule("what stands in a later result", ("agents.tools.view", "in_force"), lambda records, *_: list(records)),
        Rule("marks of what was changed", ("agents.tools.view", "overtaken"), _always({})),
        Rule("pieces of long messages", ("agents.tools.conversation", "digest"), _first),
        Rule("what answers lean on", ("agents.tools.conversation", "leans_on"), _always(False)),
        Rule("fields that a question means", ("memory.views.relevance", "_MEANT"), ()),
        Rule("words within identifiers", ("memory.views.relevance", "_is_joined"), _always(False)),
        Rule("paths and addresses", ("memory.views.relevance", "names_place"), _always(False)),
        Rule("pairs such as an amount and its currency", ("memory.views.json_table", "PAIR"), -1),
        Rule("the item that is named", ("memory.views.json_table", "_with_named"), lambda *given: list(given[3])),
        Rule("objects under their ids as rows", ("memory.views.json_table", "rows_by_id"), _first),
        Rule("arguments that a result repeats", ("memory.views.blocks", "_told_apart"),
             lambda record, *_: dict(record.arguments)),
        Rule("addresses before rows", ("memory.views.blocks", "_Unlinked"), _first),
        Rule("like shapes in one table", ("memory.views.blocks", "_is_like"), _always(False)),
        Rule("ids that were told", ("memory.views.blocks", "_untold"), _first),
        Rule("what few items are", ("memory.views.lists", "_states"), _always(())),
        Rule("objects in lists as things", ("memory.views.standing", "LISTED"), 0),
        Rule("words for a thing", ("memory.views.standing", "_NAMING"), frozenset()),
        Rule("rare names in texts", ("memory.views.excerpts", "NAME"), 0.0),
        Rule("lines unlike others", ("memory.views.excerpts", "RARE"), 0.0),
        Rule("failures first", ("agents.tools.view", "FAILURES_OF"), 10**9),
        Rule("less of what is not most relevant", ("agents.tools.view", "BRIEF"), 1),
    ),
    "notes": (
        Rule("values of JSON, XML and tables", ("memory.observations.notes", "take_values"), lambda text: ([], text)),
        Rule("labelled notes", ("memory.observations.notes", "labelled_note"), _always(None)),
        Rule("what sentences state", ("memory.observations.notes", "_stated"), _always(())),
        Rule("verdicts", ("memory.observations.salience", "_VERDICT"), _NEVER),
        Rule("counts of outcomes", ("memory.observations.salience", "_COUNTED"), _NEVER),
        Rule("errors by their beginning", ("memory.observations.salience", "_ERROR"), _NEVER),
        Rule("words of trouble", ("memory.observations.salience", "_TROUBLE"), _NEVER),
        Rule("warnings", ("memory.observations.salience", "_WARNING"), _NEVER),
        Rule("what passes", ("memory.observations.salience", "_PASSING"), _NEVER),
        Rule("times before lines", ("memory.observations.salience", "_STAMP"), _NEVER),
        Rule("frames of stacks", ("memory.observations.salience", "_FRAME"), _NEVER),
        Rule("what explains errors", ("memory.observations.salience", "_EXPLAINS"), _NEVER),
        Rule("what an error stands under", ("memory.observations.salience", "_PARENT"), _NEVER),
        Rule("fields that say that something failed", ("memory.observations.values", "_FAILED"), _NEVER),
        Rule("reports in XML", ("memory.observations.values", "_take_reports"), lambda text: ([], text)),
        Rule("tables", ("memory.observations.notes", "tables_in"), lambda lines: ([], list(lines))),
        Rule("what states nothing", ("memory.observations.notes", "_NO_STATEMENT"), _NEVER),
        Rule("measures", ("memory.observations.notes", "_MEASURED"), _NEVER),
        Rule("names", ("memory.observations.notes", "_NAME"), _NEVER),
        Rule("values under a name", ("memory.observations.notes", "_is_named_value"), _always(False)),
        Rule("rows of numbers", ("memory.observations.notes", "_is_row"), _always(False)),
        Rule("the last line", ("memory.observations.notes", "_says_something"), _always(False)),
    ),
    "filing": (
        Rule("open items that are closed", ("memory.banks.open_items", "_open_items"), _always(())),
        Rule("labels of parts", ("memory.banks.filing", "_own"), _always(None)),
        Rule("items of lists by themselves", ("memory.banks.filing", "_is_loose"), _always(False)),
        Rule("labels within a paragraph", ("memory.banks.filing", "_sentences"), lambda line: [("", line)]),
        Rule("labels that begin a part", ("memory.banks.filing", "_begins"), _always(False)),
        Rule("headings", ("memory.banks.filing", "_category_of_title"), _always(None)),
        Rule("questions", ("memory.banks.filing", "ends_with_question_mark"), _always(False)),
        Rule("what is done by words behind it", ("memory.banks.open_items", "without_done"), _first),
        Rule("what is dropped", ("memory.banks.open_items", "is_cancelled"), _always(False)),
        Rule("lines that name a file", ("memory.banks.targets", "_LINE"), _NEVER),
        Rule("brackets that name a file", ("memory.banks.targets", "_BRACKETS"), _NEVER),
    ),
}  # fmt: skip


@contextmanager
def without(rule: Rule) -> Iterator[None]:
    """While it is used, a rule does nothing. Raises `AttributeError` where it is not there any more."""
    module, name = import_module(rule.at[0]), rule.at[1]
    before = getattr(module, name)
    setattr(module, name, rule.instead)
    try:
        yield
    finally:
        setattr(module, name, before)


def last_line(bench: str) -> str:
    """What a bench, with its options, prints last."""
    printed, module = StringIO(), bench.split()[0]
    arguments, sys.argv = sys.argv, bench.split()
    try:
        with redirect_stdout(printed):
            import_module(module).main()
    finally:
        sys.argv = arguments
    return printed.getvalue().rstrip().rsplit("\n", 1)[-1].strip()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(BENCHES))
    parser.add_argument("--list", action="store_true", help="tell the rules, and run nothing")
    options = parser.parse_args(arguments)
    for family in options.families or BENCHES:
        print(f"{family}, with all: {'' if options.list else last_line(BENCHES[family])}", flush=True)
        for rule in RULES[family]:
            with without(rule):
                print(f"  without {rule.name}: {'' if options.list else last_line(BENCHES[family])}", flush=True)


if __name__ == "__main__":
    main()
