"""The examples have every act, and a border separates what does from what does not."""

import numpy as np

from bench.fit_acts import ABOUT, border, examples, held_out


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
