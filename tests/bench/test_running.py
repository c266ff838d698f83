"""`python -m bench.running`: what is planted stands where it says, and its report tells what was measured."""

from bench.running import MESSAGES, PLANTED, PREFIXES, WINDOWS, Measured, conversations, report


def test_what_is_asked_for_stands_so_many_messages_ago_and_nowhere_else() -> None:
    [running] = conversations(1)
    assert len(running.turns) == MESSAGES
    for kind, planted in PLANTED.items():
        for ago, statement, question, wanted in planted:
            [at] = [at for at, turn in enumerate(running.turns) if wanted in turn.content]
            assert statement in running.turns[at].content and running.turns[at].role == "user"
            assert wanted not in question
            if kind != "in a pasted text":
                assert ago <= MESSAGES - at <= ago + 1


def test_the_report_has_the_share_of_each() -> None:
    measured = Measured()
    for window in WINDOWS:
        for kind in PLANTED:
            measured.evidence["loci", window, kind] += [True, True]
            measured.evidence["newest", window, kind] += [True, False]
    for window in PREFIXES:
        measured.prefixes["/query", window].append(0.5)
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in report(measured).splitlines()]
    assert ["loci", "2,048", "100", "100", "100", "100"] in rows
    assert ["newest", "16,384", "50", "50", "50", "50"] in rows
    assert ["/query", "4,096", "50.0"] in rows
