"""A plan: the steps in which a task is worked off."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from assay.domain.data import Data

MAX_STEPS = 8
"""More are no plan of one task, but a project; each step is a round of writing and checking."""


class Step(Data):
    """One step, and how one sees that it is done."""

    title: str
    shows: str = ""
    """What the program must show at its end."""
    after: tuple[int, ...] = ()
    """Numbers (from 1) of the steps that have to be done before."""


class Plan(Data):
    """Steps in the order in which they are worked off."""

    steps: tuple[Step, ...]

    @property
    def is_divided(self) -> bool:
        """Whether there is more than one step."""
        return len(self.steps) > 1

    def in_order(self) -> Plan:
        """The same steps, each after those that it needs, else in the order given.

        What one needs that is no step, itself, or a cycle, is passed over: then the order given
        holds.
        """
        count = len(self.steps)
        needs = {
            number: {other for other in step.after if 1 <= other <= count and other != number}
            for number, step in enumerate(self.steps, 1)
        }
        sorter = TopologicalSorter(needs)
        try:
            sorter.prepare()
        except CycleError:
            return self.without_needs()
        order: list[int] = []
        ready: list[int] = []
        while sorter.is_active():
            ready = sorted([*ready, *sorter.get_ready()])
            order.append(ready.pop(0))
            sorter.done(order[-1])
        return Plan(steps=tuple(self.steps[number - 1] for number in order)).without_needs()

    def without_needs(self) -> Plan:
        """The steps in their order alone, whose numbers may have changed."""
        return Plan(steps=tuple(step.model_copy(update={"after": ()}) for step in self.steps))
