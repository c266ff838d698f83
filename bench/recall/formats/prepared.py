"""Reads our own format, into which any benchmark can be brought.

{"corpus", "conversations": [{"id", "messages": [{"id", "session", "speaker", "date", "role", "text"}],
"questions": [{"id", "question", "category", "evidence": [message ids]}]}]}; other fields are for people.
"""

from datetime import UTC, datetime

from pydantic import BaseModel

from bench.recall.corpus import Conversation, Corpus, Message, Question, UnreadableCorpus
from memory.domain import Role


class MessageIn(BaseModel):
    id: str
    session: int | str
    speaker: str | None = None
    date: datetime
    role: Role
    text: str


class QuestionIn(BaseModel):
    id: str
    question: str
    category: str
    evidence: list[str]
    answer: object = ""


class ConversationIn(BaseModel):
    id: str
    messages: list[MessageIn]
    questions: list[QuestionIn]


class CorpusIn(BaseModel):
    corpus: str
    conversations: list[ConversationIn]


def read_prepared(data: object) -> Corpus:
    """Raises `UnreadableCorpus` where evidence names no message, `pydantic.ValidationError` where a field is amiss."""
    corpus = CorpusIn.model_validate(data)
    return Corpus(corpus.corpus, tuple(map(_conversation, corpus.conversations)))


def _conversation(conversation: ConversationIn) -> Conversation:
    ids = {message.id for message in conversation.messages}
    if len(ids) < len(conversation.messages):
        raise UnreadableCorpus(f"{conversation.id} has two messages of the same id")
    for question in conversation.questions:
        if unknown := set(question.evidence) - ids:
            raise UnreadableCorpus(f"the evidence of {question.id} names no message: {', '.join(sorted(unknown))}")
    return Conversation(
        conversation.id,
        tuple(_message(message) for message in conversation.messages if message.text.strip()),
        tuple(
            Question(question.id, question.question, question.category, tuple(question.evidence), str(question.answer))
            for question in conversation.questions
        ),
    )


def _message(message: MessageIn) -> Message:
    moment = message.date if message.date.tzinfo else message.date.replace(tzinfo=UTC)
    return Message(message.id, str(message.session), message.role, message.text, moment, message.speaker)
