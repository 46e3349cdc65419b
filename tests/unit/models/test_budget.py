"""What a session may still spend."""

from __future__ import annotations

import pytest

from assay.domain.limits import Limits
from assay.domain.usage import Usage
from assay.errors import LimitReached
from assay.models.budget import Budget


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_fresh_budget_lets_a_call_through() -> None:
    Budget(Limits()).check()


@pytest.mark.parametrize(
    ("limits", "usage", "words"),
    [
        (Limits(calls=2), Usage(calls=2), ["2 calls", "2 were made", "Limits(calls=…)"]),
        (
            Limits(tokens=100),
            Usage(calls=1, input_tokens=90, output_tokens=10),
            ["100 tokens", "100 were used", "--max-tokens"],
        ),
        (Limits(cost=0.5), Usage(calls=1, cost=0.75), ["$0.5", "$0.7500", "--max-cost"]),
    ],
)
def test_a_limit_that_is_used_up_is_named_with_its_use_and_its_flag(
    limits: Limits, usage: Usage, words: list[str]
) -> None:
    budget = Budget(limits)
    budget.add(usage)
    with pytest.raises(LimitReached) as caught:
        budget.check()
    assert all(word in caught.value.message for word in words)


def test_just_below_each_limit_a_call_is_allowed() -> None:
    budget = Budget(Limits(calls=2, tokens=100, cost=0.5))
    budget.add(Usage(calls=1, input_tokens=89, output_tokens=10, cost=0.49))
    budget.check()


def test_a_call_whose_prompt_alone_is_too_long_is_not_made() -> None:
    budget = Budget(Limits(tokens=100))
    budget.add(Usage(calls=1, input_tokens=20, output_tokens=20))
    budget.check(prompt_tokens=59)
    assert budget.remaining_output_tokens(prompt_tokens=59) == 1
    with pytest.raises(LimitReached, match="40 were used, and the next prompt has about 60"):
        budget.check(prompt_tokens=60)


def test_an_unknown_price_is_not_taken_as_a_cost() -> None:
    budget = Budget(Limits(cost=0))
    budget.add(Usage(calls=1, input_tokens=1000))
    budget.check()


def test_time_is_counted_from_the_start() -> None:
    clock = Clock()
    budget = Budget(Limits(seconds=10), clock)
    clock.now += 9
    budget.check()
    assert budget.remaining_seconds() == pytest.approx(1)
    clock.now += 2
    with pytest.raises(LimitReached, match=r"10 seconds is reached: 11\.0 passed.*--timeout"):
        budget.check()
    assert budget.remaining_seconds() == 0


def test_usage_is_the_sum_of_all_calls() -> None:
    budget = Budget(Limits())
    budget.add(Usage(calls=1, input_tokens=10, cost=0.1))
    budget.add(Usage(calls=3, output_tokens=5))
    assert budget.usage == Usage(calls=4, input_tokens=10, output_tokens=5, cost=0.1)


def test_the_longest_reply_is_what_is_left_of_the_tokens() -> None:
    assert Budget(Limits()).remaining_output_tokens() is None
    budget = Budget(Limits(tokens=100))
    budget.add(Usage(calls=1, input_tokens=60))
    assert budget.remaining_output_tokens() == 40
    budget.add(Usage(calls=1, input_tokens=60))
    assert budget.remaining_output_tokens() == 1
