"""The fit of the local encoder's adapter.

    pip install torch
    python -m bench.fit_encoder DATA… [--epochs 4] [--long 0.3] [--on] [--rate 0.0008] [--last 0.05] [--seed 0]
                                [--scale 1.0] [--rank 16] [--bfloat16] [--to ADAPTER]

DATA are files of `bench.recall`'s formats. What ships is the average (`bench.fit_encoder.average`) of two that were
fitted on all files of `bench/data/written`, which we wrote: `--epochs 3 --long 0.35 --rate 0.0006`, seeds 0 and 1.

Of each conversation at a time, questions and messages are encoded, and the adapter (Hu et al., "LoRA", 2021) is moved
so that the messages that answer come before the others, by the vectors of whole texts and by those of their tokens.
In a share of the steps, `--long`, messages are joined to long texts (`bench.fit_encoder.long_texts`).
Then the projection of token vectors is computed, and an offset that keeps cosines on the scale that thresholds are of;
all are written into `utils/`.
"""

import argparse
import math
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

try:
    import torch
    import torch.nn.functional as F
except ModuleNotFoundError:
    raise SystemExit(__doc__) from None

from bench.fit_encoder.bert import Bert
from bench.fit_encoder.long_texts import MOST_QUESTIONS, long_texts
from bench.recall.corpus import UNANSWERABLE, Conversation, Message, Question
from bench.recall.reading import read_corpus
from memory.gists.gists import spoken
from utils.encoder import ADAPTER, OFFSET, PROJECTION, TOKEN_DIMENSIONS, model_file
from utils.encoder_file import EncoderFile
from utils.text import STOPWORDS

LONGEST, LONG = 128, 256  # tokens of a text, and of a long one
QUESTIONS, MESSAGES = 28, 72  # of a conversation in one step
RATE = 8e-4
WARM_UP = 10  # steps
LIFT = 0.12  # cosines become (cosine + LIFT) / (1 + LIFT), so that evidence is as like as it was before fitting
TEXT_TEMPERATURE, TOKEN_TEMPERATURE = 0.05, 0.03


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--long", type=float, default=0.3, help="share of the steps with long texts")
    parser.add_argument("--on", action="store_true", help="goes on from the adapter that there is")
    parser.add_argument("--rate", type=float, default=RATE, help="of learning, at first")
    parser.add_argument("--last", type=float, default=0.05, help="share of it at the end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0, help="by which the adapter's effect is multiplied")
    parser.add_argument("--rank", type=int, default=16, help="of the adapter")
    parser.add_argument("--bfloat16", action="store_true", help="computes in bfloat16, faster where the processor can")
    parser.add_argument("--to", type=Path, default=ADAPTER, help="the file for the adapter")
    arguments = parser.parse_args()
    conversations = [one for file in arguments.data for one in read_corpus(file).conversations]
    bert = Bert(EncoderFile(model_file()), rank=arguments.rank, seed=arguments.seed, bfloat16=arguments.bfloat16)
    if arguments.on:
        bert.load(ADAPTER)
    _fit(bert, conversations, arguments)
    np.savez_compressed(arguments.to, **bert.arrays(arguments.scale))  # type: ignore[arg-type]
    if arguments.to == ADAPTER:
        np.save(PROJECTION, projection(bert, conversations))
        np.save(OFFSET, offset(bert, conversations))


def _fit(bert: Bert, conversations: list[Conversation], plan: argparse.Namespace) -> None:
    optimiser = torch.optim.AdamW(bert.parameters, lr=plan.rate, weight_decay=0.01)
    steps, last = plan.epochs * len(conversations), float(plan.last)

    def share(step: int) -> float:
        fallen: float = 0.5 * (1 + math.cos(math.pi * step / steps))
        return min(1.0, (step + 1) / WARM_UP) * (last + (1 - last) * fallen)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, share)
    chance = random.Random(plan.seed)
    began = time.monotonic()
    for epoch in range(plan.epochs):
        chance.shuffle(conversations)
        total = 0.0
        for conversation in conversations:
            loss = (_loss_of_long if chance.random() < plan.long else _loss)(bert, conversation, chance)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(bert.parameters, 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: loss {total / len(conversations):.3f}, {time.monotonic() - began:.0f} s", flush=True)


def _loss(bert: Bert, conversation: Conversation, chance: random.Random) -> torch.Tensor:
    """Cross entropy between what answers each question and the softmax of its likeness to messages."""
    questions = _asked(conversation, QUESTIONS, chance)
    messages = _some(conversation.messages, questions, chance)
    places = {message.id: place for place, message in enumerate(messages)}
    wanted = torch.zeros(len(questions), len(messages))
    for row, question in enumerate(questions):
        wanted[row, [places[one] for one in question.evidence]] = 1 / len(question.evidence)
    return _entropy(bert, [question.text for question in questions], [_said(one) for one in messages], wanted, LONGEST)


def _loss_of_long(bert: Bert, conversation: Conversation, chance: random.Random) -> torch.Tensor:
    """The same of long texts."""
    questions = _asked(conversation, MOST_QUESTIONS, chance)
    texts, sought = long_texts(_some(conversation.messages, questions, chance), questions, chance)
    wanted = torch.zeros(len(sought), len(texts))
    for row, one in enumerate(sought):
        wanted[row, list(one.answers)] = 1 / len(one.answers)
    return _entropy(bert, [one.query for one in sought], texts, wanted, LONG)


def _asked(conversation: Conversation, most: int, chance: random.Random) -> list[Question]:
    asked = [one for one in conversation.questions if one.category not in UNANSWERABLE and one.evidence]
    return chance.sample(asked, min(most, len(asked)))


def _entropy(
    bert: Bert, queries: Sequence[str], texts: Sequence[str], wanted: torch.Tensor, longest: int
) -> torch.Tensor:
    """Cross entropy between the texts that are wanted for queries, (queries, texts), each row of sum 1, and the softmax
    of their likeness, by texts and by tokens."""
    vectors, tokens, own = bert.encode(texts, longest)
    asked_vectors, asked_tokens, asked_own = bert.encode(queries, longest)
    by_text = asked_vectors @ vectors.T / TEXT_TEMPERATURE
    by_token = _late(asked_tokens, asked_own, tokens, own) / TOKEN_TEMPERATURE
    return sum(
        (-(wanted * F.log_softmax(likeness, 1)).sum(1).mean() for likeness in (by_text, by_token)), torch.zeros(())
    )


def _some(messages: Sequence[Message], questions: Sequence[Question], chance: random.Random) -> list[Message]:
    """All that answer, and some of the others."""
    needed = {one for question in questions for one in question.evidence}
    others = [message.id for message in messages if message.id not in needed]
    kept = needed | set(chance.sample(others, min(len(others), max(0, MESSAGES - len(needed)))))
    return [message for message in messages if message.id in kept]


def _late(asked: torch.Tensor, asked_own: torch.Tensor, tokens: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """The mean over a question's tokens of the best cosine among a message's: (questions, messages)."""
    cosines = torch.einsum("qad,mbd->qmab", asked, tokens).masked_fill(own[None, :, None, :] == 0, -1.0)
    best = cosines.max(-1).values * asked_own[:, None, :]
    return best.sum(-1) / asked_own.sum(1)[:, None]


def _said(message: Message) -> str:
    return spoken(message.speaker, message.role, message.text)


def projection(bert: Bert, conversations: Sequence[Conversation]) -> np.ndarray:
    """The directions that hold most of the vectors of telling tokens, (width, 64)."""

    def telling(texts: Sequence[str]) -> torch.Tensor:
        kept = [" ".join(word for word in text.split() if word.lower() not in STOPWORDS) for text in texts]
        _, tokens, own = bert.encode(kept, LONGEST)
        return tokens[own > 0]

    return _directions(telling, conversations)[:, :TOKEN_DIMENSIONS].astype(np.float16)


def offset(bert: Bert, conversations: Sequence[Conversation]) -> np.ndarray:
    """What is added to the vector of each sentence, (width,): the direction in which they have least."""
    directions = _directions(lambda texts: bert.encode(texts, LONGEST)[0], conversations)
    return (math.sqrt(LIFT) * directions[:, -1]).astype(np.float32)


def _directions(vectors: Callable[[Sequence[str]], torch.Tensor], conversations: Sequence[Conversation]) -> np.ndarray:
    """The directions in which the vectors of messages lie, (width, width), those that hold most of them first."""
    moments = torch.zeros(())
    with torch.no_grad():
        for conversation in conversations:
            for start in range(0, len(conversation.messages), 32):
                found = vectors([_said(message) for message in conversation.messages[start : start + 32]])
                moments = moments + found.T @ found
    directions, _, _ = np.linalg.svd(moments.numpy())
    return directions


if __name__ == "__main__":
    main()
