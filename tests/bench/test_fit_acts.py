"""The examples have every act, and a border separates what does from what does not."""

from random import Random

import numpy as np

from bench.fit_acts import ABOUT, border, examples, held_out, with_slips


def test_examples_have_every_act_in_every_language() -> None:
    every = examples()
    for language in ("de", "es", "fr", "it", "pt", "nl", "pl", "ru", "tr", "zh", "ja", "ko", "ar", "hi"):
        kinds = {one.kind for one in every if one.language == language}
        assert {"ask", "state", "change", "forget", "summarise", "whole"} <= kinds
        assert {act for one in every if one.language == language for act in one.about} == set(ABOUT)


def test_what_is_held_out_is_in_languages_of_its_own_too() -> None:
    assert {"da", "fi", "hu", "id", "th", "vi"} <= {one.language for one in held_out()} - {
        one.language for one in examples()
    }


def test_a_border_lies_between_what_does_and_what_does_not() -> None:
    random = np.random.default_rng(5)
    vectors = random.normal(size=(200, 8)).astype(np.float32)
    yes = vectors[:, 0] > 0.3
    weights = border(vectors, yes, np.ones(200))
    found = 1 / (1 + np.exp(-(vectors @ weights[:-1] + weights[-1])))
    assert ((found > 0.5) == yes).mean() > 0.95


def test_slips_change_letters_of_long_words_alone() -> None:
    text = "where did my brother put the spare key of the cellar"
    typed = with_slips(text, Random(3))
    changed = [(one, other) for one, other in zip(text.split(), typed.split(), strict=True) if one != other]
    assert 1 <= len(changed) <= 2
    assert all(len(one) > 3 and abs(len(one) - len(other)) <= 1 for one, other in changed)
