"""Small talk, which no memory answers: asked in every conversation, to see whether recall keeps silent."""

from bench.recall.corpus import SMALL_TALK, Question

TEXTS = (
    "hi",
    "hello there!",
    "good morning",
    "hey, how are you?",
    "I'm fine, and you?",
    "thanks",
    "thanks, that's great!",
    "thank you so much for your help",
    "ok",
    "ok see you tomorrow",
    "bye, have a nice evening",
    "good night!",
    "haha, that's funny",
    "lol",
    "wow, really?",
    "sounds good to me",
    "yes please",
    "no, never mind",
    "sorry, I was away for a moment",
    "one second please",
    "let me think about it",
    "great, let's get started",
)

QUESTIONS = tuple(Question(f"small-talk-{place}", text, SMALL_TALK) for place, text in enumerate(TEXTS))
