"""The ablation: rules are where it says, and are back after it."""

from importlib import import_module

import pytest

from bench.ablate import BENCHES, RULES, Rule, main, without


@pytest.mark.parametrize("rule", [rule for rules in RULES.values() for rule in rules], ids=lambda rule: rule.name)
def test_a_rule_does_nothing_meanwhile_and_is_back_afterwards(rule: Rule) -> None:
    module, name = import_module(rule.at[0]), rule.at[1]
    before = getattr(module, name)
    with without(rule):
        assert getattr(module, name) is rule.instead
    assert getattr(module, name) is before


def test_each_family_has_a_bench_and_rules(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--list"])
    printed = capsys.readouterr().out
    assert all(f"{family}, with all" in printed for family in BENCHES)
    assert printed.count("without") == sum(map(len, RULES.values()))
