"""What does a line of a test's, a build's or a command's output say: what it came to, an error, or nothing to note?

Each pattern here is of lines that some tool prints, which the tests show; what tools have in common stands in one.
"""

import re

LONGEST = 400  # characters of a line that is one message

# What went how, where it is counted: "2 failed, 140 passed", "Tests run: 42, Failures: 1", "2 to add, 1 to destroy".
_OUTCOME = (
    r"(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|skipped|ignored|succeeded|completed|total|warnings?|problems?|"
    r"vulnerabilities|examples?|assertions|offenses?|inspected|add(?:ed)?|changed?|destroy(?:ed)?|insertions?|deletions?|transmitted|received|ok|"
    r"unreachable)"
)
_COUNTED = re.compile(
    rf"\b\d[\d,]*\s+(?:(?:to|packets|tests?|files?)\s+)?{_OUTCOME}\b|\b{_OUTCOME}(?:\s*[:=]\s*|\s)\d[\d,]*\b",
    re.IGNORECASE,
)
_SEVERAL = 2  # outcomes that are counted on a line that sums up
_FAILURES_COUNTED = re.compile(
    r"(?<![=\w])[1-9]\d*\s+(?:tests?\s+)?(?:fail(?:ed|ing|ures?)|errors?|unreachable)\b"
    r"|\b(?:failed|failures?|errors?|unreachable)\s*[:=]\s*[1-9]",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"^\W*(?:"
    r"(?:ran |found )?\d[\d,]*%? (?:tests? )?"
    r"(?:passed|failed|passing|failing|failures?|errors?|problems?|vulnerabilities)\b"
    r"|(?:planning|execution) time: \d"  # PostgreSQL
    r"|(?:final |overall |test )?(?:verdict|totals?|summary|result|outcome|overall|in total)\s*:\s*\S"
    r"|build (?:succe\w+|fail\w*)\b|(?:apply|destroy|deployment|migration|build|installation) complete\b|no changes\."
    r"|(?:failed|ok) \(\w+=\d|[^:;]{1,30}: total;"  # the last row of a table
    r"|all (?:\w+ ){0,3}(?:passed|succeeded)\b)",
    re.IGNORECASE,
)

# The message of an error, or the line of a log that has one.
_ERROR = re.compile(
    r"^(?:[\w.$]*[a-z](?:Error|Exception|Failure|Fault|Interrupt|Warning)\b(?: ?\[\w+\])?\s*: *\S"
    r"|(?:\S{1,120} (?:- )?)?(?i:error|fatal|panic|failure|exception|critical|caused by|aborted)\b[^:\n]{0,60}: *\S"
    r"|(?i:fehler|erreur|errore?|erro|fout|fejl|fel|błąd|hata|ошибка|помилка|错误|錯誤|エラー|오류|에러)\s*[:：]\s*\S"
    r"|\S+ ERR! \S+ \S+ \S|npm error \S+ \S|E: [A-Z]\S* \S|\S{1,120}: FAIL(?:ED)?\b"
    r"|ERR_[A-Z_]+ +\S|ERRO\[\d+\] +\S|Completed 5\d\d |CONFLICT \(\S"
    r"|(?!(?:[\w.-]+ )*(?i:no|not|none|never|nothing|neither) )[\w.-]+(?: [\w.-]+){0,5} failed(?=[;:]|$| with\b)"
    r"|\S+: \*+ \S|\d+:\d+ +error +\S"
    r"|[\[(]?(?:FAIL|FAILED|ERROR|ERR!|FATAL|CRITICAL|SEVERE|PANIC|BLOCKER|BLOCKED)\b\W+\w.*\s\S"
    r"|[✗✘❌✖⛔🔴] *\S+\s\S|● .+ › .|not ok \d|HTTP/[\d.]+ [45]\d\d\b|(?i:failed to|failed asserting|unable to) \w+ \S"
    r"|assertion .+ failed$)"
)
_TROUBLE = re.compile(
    r"\b(?i:not found|no such file|permission denied|access denied|connection refused|timed out|segmentation fault|"
    r"out of memory|panicked at|does not exist|no module named)\b|\[(?:emerg|alert|crit|error)\]"
    r"|\b(?:\w+BackOff|BackOff|ErrImagePull|OOMKilled|CreateContainer\w*Error)\b"  # what Kubernetes says of a pod
    r"|\S FAILED(?: +\[ *\d+%\])?$|: (?i:failed|failing|error|unhealthy|down|offline|unreachable)(?=;|,|$| \()"
    r"|\b(?:NXDOMAIN|SERVFAIL)\b"
)
# A row of a table that says so of what it is about.
_FAILING_ROW = re.compile(
    r"(?:^|; )[^:;]{1,40}: "
    r"(?i:fail|critical|crashed|dead|not ?ready|(?:exited|restarting) \([1-9]\d{0,2}\)[^;]*)(?=;|$)"
    r"|(?:^|; )(?i:type|level|severity|status): (?i:warning|high)(?=;)"
)

# When a line of a log was written, and how much it matters, where that is little.
_STAMP = re.compile(
    r"^\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:- )?"
    r"(?:\[?(?:INFO|DEBUG|NOTICE)\]?:?\s+)?"
)
_LEVEL = re.compile(r"^\[(?:INFO|DEBUG|NOTICE)\]\s+")  # Maven

# What a step of a tool does or did as it should.
_PASSING = re.compile(
    r"^\W*(?:PASS|ok)\b|\bPASS(?:ED)?$|\.\.\. ok$|\[ *\d+%\]$|: \S+ done$|^(?:DONE [\d.]+s|CACHED)$"
    r"|\.{3} +Passed\b|^Requirement already satisfied: |^Finished (?:in \d|at: |\w+ \[)"
)

# What a tool is about: "Compiling serde v1.0", "Collecting fastapi==0.103".
_ABOUT = re.compile(
    r"^(?:Compil|Collect|Download|Install|Build|Resolv|Fetch|Unpack|Prepar|Refresh|Scann|Pull|Push)ing "
    r"(?!.*\b(?:is|are|was|were|takes?|took|needs?|costs?|fails?|requires?)\b)"
)

# Source code: a statement of a language that many write, behind the place where it was found or its mark in a diff.
_PLACE = re.compile(r"^(?:[\w./\\-]{1,120}:\d+(?::\d+)?:\s*)?(?:[>+-]\s*)?(?:\d+\s*[|│]\s?)?")
_FOUND = re.compile(r"^[\w./\\-]{1,120}:\d+:\s*[\w.\[\]]{1,60} [-+*/|]?= ")  # by grep
_CODE = re.compile(
    r"(?:"
    r"(?:return|yield|await|throw|raise)\b(?:.*[)\]};]|\s+[\w.]+)?$|assert\s.*[=!<>]=.*"
    r"|(?:async |export |pub |public |private |static )*(?:def|class|function|func|fn|interface|struct)\s.*[:{(;,]$"
    r"|(?:const|let|var|final|val)\s+[\w:\s]+=|import [\w.]+(?: as \w+)?;?$"
    r"|import (?:\{|\*|\w+ from )|from \S+ import\s|#include\b|@\w[\w.]*(?:\(.*\))?$"
    r"|(?:if|for|while|elif|switch|case)\b(?!.*, ).*[\w)\]\"'][:{]$|(?:else|try|except\b.*)\s*[:{]$|with\b.*\(.*:$"
    r"|[\w.$\[\]'\"]{1,60} [-+*/|]?= [\w.$ ]*\w\(.*|[\w.$]+\([^()]*\)(?:\.\w+\([^()]*\))*[;,{]?(?:\s*(?://|#).*)?$"
    r"|[|\s-]*[\^~]+(?:[\s^~-].*)?$|[|│][\s|│]*[-_^~]{2,}(?:\s.*)?$|= (?:note|help): |.*(?:\{|[=(\"'].*;)$|-->\s)"
)


def unstamped(line: str) -> str:
    """A line of a log without its time and without a level that says nothing."""
    return _LEVEL.sub("", _STAMP.sub("", line))


def sums_up(line: str) -> bool:
    """Whether a line says what something came to: its outcomes counted, or a verdict."""
    if len(line) > LONGEST or line.endswith(("?", "？", "؟", ":")):
        return False
    return _VERDICT.match(line) is not None or len(_COUNTED.findall(line)) >= _SEVERAL


def is_tally(line: str) -> bool:
    """Whether a line is a verdict with its counts, however many sentences that makes: "ok. 2 passed; 0 failed"."""
    return sums_up(line) and _VERDICT.match(line) is not None and len(_COUNTED.findall(line)) >= _SEVERAL


def counts_failures(line: str) -> bool:
    """Whether a line that sums up counts any failure."""
    return _FAILURES_COUNTED.search(line) is not None


def is_error(line: str) -> bool:
    """Whether a line is the message of an error, or names what goes wrong; a verdict that nothing did is none."""
    if len(line) > LONGEST or line.endswith(("?", "？", "؟", ":")):
        return False
    return begins_as_error(line) or _TROUBLE.search(line) is not None


def is_failing_row(row: str) -> bool:
    """Whether a row, with the names of its columns, says of something that it fails or does badly."""
    return ";" in row and _FAILING_ROW.search(row) is not None


def begins_as_error(line: str) -> bool:
    """Whether a line begins as messages of errors do."""
    return _ERROR.match(line) is not None


def is_passing(line: str) -> bool:
    """Whether a line says of one step, or of one test of many, that it goes on or went well."""
    return (_PASSING.search(line) is not None or _ABOUT.match(line) is not None) and not sums_up(line)


def is_code(line: str) -> bool:
    """Whether a line is source code."""
    if _FOUND.match(line):
        return True
    found = _PLACE.match(line)
    return _CODE.match(line[:LONGEST], found.end() if found else 0) is not None
