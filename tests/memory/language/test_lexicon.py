"""Are English words known, and others not?"""

import numpy as np

from bench import fit_lexicon
from memory.language.languages import LEXICON, are_words, hashes_of


def test_words_of_english_are_known_and_others_are_not() -> None:
    words = ["scone", "trowel", "allotments", "insured", "colour", "color", "kestrel", "padel", "backend"]
    assert are_words(words).all()
    assert not are_words(["alotment", "lisence", "wohnung", "kubectx", "qzxwv", ""]).any()
    assert are_words([]).shape == (0,)


def test_the_command_takes_the_words_at_the_beginning_of_lines(tmp_path, monkeypatch) -> None:
    made = tmp_path / "words.npy"
    monkeypatch.setattr(fit_lexicon, "LEXICON", made)
    listed = tmp_path / "list.txt"
    listed.write_text("\ufeffScone 123\nTrowel\nthe\nmother-in-law\nit\u2019s\ncaf\u00e9s\nscone\n", "utf-8")
    fit_lexicon.main([str(listed)])
    assert np.load(made).tolist() == sorted(hashes_of(["scone", "trowel"]).tolist())


def test_the_list_is_in_order() -> None:
    stored = np.load(LEXICON)
    assert (stored[1:] > stored[:-1]).all()
