"""What fronts put into a user's message besides the user's words."""

from time import thread_time

import pytest

from agents.asides import asides, without_asides

QUESTION = "Which berth is mine?"
PASSAGES = (
    "### Task:\nRespond to the user query using the provided context, with citations.\n\n<context>\n"
    '<source id="1" name="harbour.txt">I live at berth 41.\n</context>\n</source>\n</context>\n\n'
)
FILES = '<attached_files>\n<file type="file" id="7" name="harbour.txt"/>\n</attached_files>\n\n'
DOCUMENTS = (
    'Attached document(s):\n```md# "harbour.md"\n```sh\nls\n```\n\n---\n\n# "b.md"\nI live at berth 41.\n\n```\n'
)
MODE = "<mode_notice>The user switched from plan mode to act mode.</mode_notice>\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{PASSAGES}{QUESTION}",
        f"{PASSAGES}{FILES}{QUESTION}",
        f"{PASSAGES}<user_query>\n{QUESTION}\n</user_query>\n",
        f"{FILES}{QUESTION}",
        f"{DOCUMENTS}{QUESTION}",
        f"{DOCUMENTS.replace('sh', '')}{QUESTION}",
        f"<system-reminder>\n<system-reminder>Tabs.</system-reminder>\nI use tabs.\n</system-reminder>\n{QUESTION}",
        f'{FILES}<file_content path="/a.py">no <file_content> here</file_content><user_input>{QUESTION}</user_input>',
        f"# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nI use tabs.\n</INSTRUCTIONS>\n<environment_context>\n"
        f"<cwd>/src</cwd>\n</environment_context>\n{QUESTION}",
        f'<user_input mode="act">{QUESTION}</user_input>',
        f'{MODE}<user_input mode="plan">{QUESTION}</user_input><file_content path="/a.py">I live here.</file_content>',
        f"{QUESTION}\n\nReturn the correct JSON response within a ```json codeblock. not the JSON_SCHEMA",
    ],
)
def test_what_a_front_pastes_is_not_the_users(text: str) -> None:
    assert without_asides(text) == QUESTION


@pytest.mark.parametrize(
    "words",
    [
        "What is wrong here?\n\n```python\nprint(\n```\n",
        "What is wrong here?\n\n```\nprint(\n```\nand here?\n\n```\n)\n```",
        "```\nprint(\n```\nWhat is wrong here?",
    ],
)
def test_a_fence_in_the_users_words_ends_no_file(words: str) -> None:
    assert without_asides(f"{DOCUMENTS}{words}") == words.strip()


@pytest.mark.parametrize(
    "text",
    [
        "### Task:\nRespond to the user query using the provided context, says my professor.",
        "Attached document(s):\n```md is how it begins.",
        "<attached_files> is what stands there.",
        '  <file name="a">b</file> is XML.\n',
        "<summary>\nWe sailed.\n</summary>\n\nIs this well said?",
        "Validation Error found:\nname: field required\nWhat does it mean?",
    ],
)
def test_a_text_of_the_users_stays_as_it_came(text: str) -> None:
    assert without_asides(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<summary>\nHe lives at berth 41.\n</summary>\n\nThis is your own checkpoint: you wrote it.",
        "Validation Error found:\nname: field required\nRecall the function correctly, fix the errors",
        "Validation feedback:\nAnswer in one word.\n\nFix the errors and try again.",
        "Your previous response failed the application's validation (this is automated feedback, not a message from "
        "the user):\n<pyai:retry_feedback>\nAnswer in one word.\n</pyai:retry_feedback>",
    ],
)
def test_what_a_program_says_by_itself_is_no_message(text: str) -> None:
    assert without_asides(text) == ""


def test_each_kind_says_how_it_is_told() -> None:
    told = [(one.element, one.begins, one.around, one.behind) for one in asides()]
    assert all(sum(map(bool, ways)) == 1 for ways in told)


@pytest.mark.parametrize("element", ["attached_files", "user_input"])
def test_elements_without_an_end_cost_no_more_than_their_length(element: str) -> None:
    began = thread_time()
    without_asides(f"<{element}>" * 50_000)
    without_asides(f"<{element}></{element}>" * 40_000)
    without_asides("<file_content " * 50_000)
    without_asides(f"<{element}><{element}></{element}>" * 10_000)
    without_asides(DOCUMENTS + "\n\n```\n```x" * 40_000)
    assert thread_time() - began < 1
