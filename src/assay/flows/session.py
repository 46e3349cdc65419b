"""One session: prepare, walk the flow's graph, conclude, keep what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.domain.answer import Answer, Attempt
from assay.domain.event import (
    AnswerGiven,
    CheckEnded,
    CheckProgress,
    CheckStarted,
    Happening,
    SessionFailed,
)
from assay.domain.results import Result
from assay.domain.solution import Solution
from assay.domain.task import Task, TestFile
from assay.domain.team import TeamRecord
from assay.domain.usage import Usage
from assay.domain.verdict import CheckName, Verdict
from assay.errors import (
    AssayError,
    LeaseLost,
    SessionNotFound,
    StoreError,
    ToolchainMissing,
    UnknownName,
)
from assay.flows.asking import asking
from assay.flows.briefing import brief_of
from assay.flows.conclusion import conclude, describe, make_receipt
from assay.flows.context import FlowContext
from assay.flows.journal import Journal
from assay.flows.outcome import spent
from assay.flows.resources import Resources, subject_of
from assay.flows.state import State, all_attempts, initial_state
from assay.flows.team_state import team_record
from assay.models.budget import Budget
from assay.models.budgeted import BudgetedModel
from assay.store.checkpoints import as_written, carry_over, open_checkpoints, thread
from assay.store.receipts import write_receipt
from assay.store.recorder import Recorder

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph


@dataclass
class Session:
    """One session, as far as one process works on it."""

    id: str
    generation: int
    task: Task
    flow: str
    resources: Resources
    journal: Journal
    recorder: Recorder

    @property
    def is_resumed(self) -> bool:
        """Whether other processes have worked on it before."""
        return self.generation > 1

    def note(self, happening: Happening) -> None:
        """Have stored what happened, and shown then; nothing that is there from before.

        Raises:
            AssayError: see `record`; of what was noted earlier.
        """
        if not self.journal.recalls(happening):
            self.recorder.note(happening)

    async def record(self, happening: Happening) -> None:
        """Store what happened, then show it, with all that was noted before.

        Raises:
            StoreError: it cannot be stored.
            SessionNotFound: the session was deleted meanwhile.
            LeaseLost: another process has gone on with it.
        """
        self.note(happening)
        await self.recorder.settle()

    async def run(self) -> Result:
        """Walk the graph to its end, or from the last finished step to its end, and conclude.

        Raises:
            StoreError: the session cannot be kept.
            SessionNotFound: it was deleted meanwhile.
            LeaseLost: another process has gone on with it.
        """
        before = spent(self.resources.store, self.id) if self.is_resumed else Usage()
        budget = Budget(self.task.limits, usage=before, seconds=self.journal.seconds)
        error: AssayError | None = None
        async with open_checkpoints(self.resources.database) as saver:
            graph = _load(self.flow).compile(checkpointer=saver)
            # Even if nothing is left to be spent, the attempts so far have to be there.
            carried = await carry_over(saver, self.id, self.generation)
            if carried:
                # Before anything is spent on a state that no step can go on from.
                await self._progress(graph)
            try:
                async with asyncio.timeout(budget.remaining_seconds()) as clock:
                    context = await self._context(budget)
                    start = None if carried else initial_state()
                    await graph.ainvoke(start, self._config, context=context, durability="sync")
            except TimeoutError:
                if not clock.expired():
                    raise
                self.recorder.is_patient = False
                error = budget.out_of_time()
            except (LeaseLost, SessionNotFound):
                raise
            except AssayError as raised:
                error = raised
            attempts, team = await self._progress(graph)
        answer = conclude(self.task, attempts, error, budget.usage, team)
        return await self._finish(answer, is_over=not isinstance(error, StoreError))

    async def _context(self, budget: Budget) -> FlowContext:
        resources = self.resources
        brief = await brief_of(self.id, self.task, resources, self.note, self._keep_brief)
        ask = asking(
            session=self.id,
            model=BudgetedModel(resources.model, budget),
            budget=budget,
            store=resources.store,
            note=self.note,
            record=self.record,
            save=self.recorder.save_reply,
            agents=resources.agents,
            seed=self.task.seed,
            is_resumed=self.is_resumed,
        )
        return FlowContext(
            task=self.task,
            brief=brief,
            ask=ask,
            check=self._check,
            try_suite=partial(resources.try_suite, self.task),
            compare=partial(resources.compare, self.task),
            record=self.record,
            agents=resources.agents,
        )

    async def _keep_brief(self, text: str) -> None:
        store = self.resources.store
        await self.recorder.write(partial(store.keep_prepared, self.id, text))

    async def _check(
        self,
        attempt: int,
        solution: Solution,
        *,
        generated: Sequence[TestFile] = (),
        known: Sequence[Verdict] = (),
        of_step: bool = False,
    ) -> tuple[Verdict, ...]:
        def on_started(check: CheckName) -> None:
            self.note(CheckStarted(attempt=attempt, check=check))

        def on_verdict(verdict: Verdict) -> None:
            self.note(CheckEnded(attempt=attempt, verdict=verdict))

        def on_progress(check: CheckName, done: int, total: int) -> None:
            self.note(CheckProgress(attempt=attempt, check=check, done=done, total=total))

        subject = subject_of(self.task, solution, generated=generated, of_step=of_step)
        there = {**self.journal.verdicts(attempt, solution), **{one.check: one for one in known}}
        return await self.resources.check(subject, on_started, on_verdict, there, on_progress)

    @property
    def _config(self) -> Any:  # LangChain's own type, which flows do not import
        return {**thread(self.id, self.generation), "recursion_limit": 1000}

    async def _progress(
        self, graph: CompiledStateGraph[State, FlowContext, Any, Any]
    ) -> tuple[tuple[Attempt, ...], TeamRecord | None]:
        """All attempts so far, one that was cut off in its checks included, and the team's work.

        Raises:
            StoreError: the checkpoint holds something else.
        """
        with as_written(self.id):
            values = (await graph.aget_state(self._config)).values
            return (all_attempts(values), team_record(values)) if values else ((), None)

    async def _finish(self, answer: Answer, *, is_over: bool) -> Result:
        """Keep the answer and its receipt; what cannot be kept is given all the same.

        Args:
            answer: What came of the session.
            is_over: Whether nothing is left to do. One that could not be kept can go on.
        """
        receipt = None
        self.resources.store.require_lease(self.id, self.generation)
        try:
            receipt = await self._keep_receipt(answer)
        except AssayError as unkept:
            answer = _with_error(answer, unkept)
        path = str(receipt) if receipt else None
        try:
            if not is_over:
                await self.recorder.settle()
            elif answer.solution is None and answer.error is not None:
                await self.record(SessionFailed(error=answer.error))
            else:
                await self.record(AnswerGiven(answer=answer, receipt=path))
        except StoreError as unkept:
            answer = _with_error(answer, unkept)
        return Result(self.id, answer, receipt)

    async def _keep_receipt(self, answer: Answer) -> Path | None:
        """None where nothing was run: prose, checks cut off, a language that cannot be run."""
        best = next((one for one in answer.attempts if one.number == answer.best), None)
        if best is None or best.solution is None or not best.verdicts:
            return None
        try:
            environment = await self.resources.environment(self.task, best.solution)
        except (ToolchainMissing, UnknownName):
            return None
        receipt = make_receipt(
            session=self.id,
            flow=self.flow,
            model=self.resources.model.name,
            task=self.task,
            answer=answer,
            solution=best.solution,
            verdicts=best.verdicts,
            environment=environment,
        )
        return write_receipt(receipt, self.resources.receipts)


def _with_error(answer: Answer, error: AssayError) -> Answer:
    """The answer with what went wrong; an earlier error is the one that tells more."""
    return answer if answer.error else answer.model_copy(update={"error": describe(error)})


def _load(flow: str) -> StateGraph[State, FlowContext, Any, Any]:
    graph: StateGraph[State, FlowContext, Any, Any]
    graph = import_module(f"assay.flows.{flow}").build()
    return graph
