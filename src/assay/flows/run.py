"""Running one session: prepare, walk the flow's graph, conclude, keep what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from assay.domain.answer import Answer, Attempt
from assay.domain.event import (
    AnswerGiven,
    CheckEnded,
    CheckStarted,
    Event,
    Happening,
    Notice,
    SessionFailed,
    SessionStarted,
    SessionStopped,
)
from assay.domain.solution import Solution
from assay.domain.task import Task
from assay.domain.verdict import CheckName, Verdict
from assay.errors import (
    AssayError,
    StoreError,
    ToolchainMissing,
    UnknownName,
)
from assay.flows.asking import asking
from assay.flows.conclusion import conclude, describe, make_receipt
from assay.flows.context import FlowContext
from assay.flows.prepare import fitted_documentation, warn_of_cost, warn_of_wait, write_brief
from assay.flows.resources import Resources
from assay.flows.state import State, attempts_of, initial_state
from assay.models.budget import Budget
from assay.models.budgeted import BudgetedModel
from assay.store.checkpoints import open_checkpoints
from assay.store.receipts import write_receipt
from assay.store.recorder import Recorder

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

FLOWS = ("single", "correct")


@dataclass(frozen=True)
class Finished:
    """How a session ended."""

    session: str
    answer: Answer
    receipt: Path | None


def check_flow(flow: str) -> str:
    """Return `flow` when there is one of this name.

    Raises:
        UnknownName: there is none.
    """
    if flow not in FLOWS:
        raise UnknownName(f"There is no flow {flow!r}; there are {', '.join(FLOWS)}.")
    return flow


async def run_session(
    task: Task, flow: str, resources: Resources, on_event: Callable[[Event], None]
) -> Finished:
    """Run `task` on `flow` to its answer; each event is stored, then given to `on_event`.

    An error that ends the session becomes part of the answer, with the best attempt so far.

    Raises:
        StoreError: the session cannot be kept.
        asyncio.CancelledError: the session was stopped; it is stored as such.
    """
    session = resources.store.create_session(flow=flow, model=resources.model.name, task=task)
    recorder = Recorder(resources.store, session, on_event)
    recorder.record(
        SessionStarted(flow=flow, model=resources.model.name, instructions=task.instructions)
    )
    try:
        return await _Session(session, task, flow, resources, recorder.record).run()
    except asyncio.CancelledError:
        with suppress(StoreError):  # stopped it is, even where that cannot be stored
            recorder.record(SessionStopped())
        raise


@dataclass
class _Session:
    session: str
    task: Task
    flow: str
    resources: Resources
    record: Callable[[Happening], None]

    async def run(self) -> Finished:
        budget = Budget(self.task.limits)
        error: AssayError | None = None
        async with open_checkpoints(self.resources.database) as saver:
            graph = _load(self.flow).compile(checkpointer=saver)
            try:
                async with asyncio.timeout(self.task.limits.seconds) as clock:
                    context = await self._context(budget)
                    await graph.ainvoke(
                        initial_state(), self._config, context=context, durability="sync"
                    )
            except TimeoutError:
                if not clock.expired():
                    raise
                error = budget.out_of_time()
            except AssayError as raised:
                error = raised
            attempts = await self._attempts(graph)
        return await self._finish(conclude(self.task, attempts, error, budget.usage))

    async def _context(self, budget: Budget) -> FlowContext:
        resources, model = self.resources, self.resources.model
        warn_of_cost(self.task, model, self.record)
        language = Solution(language=self.task.language or "python")
        if self.task.grants.requirements:
            said = "The packages of --requirements are made ready; the first time, that takes long."
            self.record(Notice(text=said))
        environment = await resources.environment(self.task, language)
        documentation = await fitted_documentation(
            self.task,
            budget_tokens=resources.documentation_budget,
            cache_folder=resources.cache_folder,
            allow_private=resources.allow_private_addresses,
            record=self.record,
        )
        if model.is_embedded:
            warn_of_wait(documentation.tokens, self.record)
        brief = write_brief(
            self.task,
            documentation=documentation.text,
            environment=environment,
            # A small model that is shown its failed code copies it.
            shows_code=not model.is_embedded,
        )
        ask = asking(
            session=self.session,
            model=BudgetedModel(model, budget),
            budget=budget,
            store=resources.store,
            record=self.record,
            seed=self.task.seed,
        )
        return FlowContext(self.task, brief, ask, self._check, self.record)

    async def _check(self, attempt: int, solution: Solution) -> tuple[Verdict, ...]:
        def on_started(check: CheckName) -> None:
            self.record(CheckStarted(attempt=attempt, check=check))

        def on_verdict(verdict: Verdict) -> None:
            self.record(CheckEnded(attempt=attempt, verdict=verdict))

        return await self.resources.check(self.task, solution, on_started, on_verdict)

    @property
    def _config(self) -> Any:  # LangChain's own type, which flows do not import
        return {"configurable": {"thread_id": f"{self.session}:1"}, "recursion_limit": 1000}

    async def _attempts(
        self, graph: CompiledStateGraph[State, FlowContext, Any, Any]
    ) -> tuple[Attempt, ...]:
        """All attempts so far, one that was cut off in its checks included."""
        snapshot = await graph.aget_state(self._config)
        if not snapshot.values:
            return ()
        attempts = attempts_of(cast("State", snapshot.values))
        draft = snapshot.values.get("draft")
        return (*attempts, Attempt.model_validate(draft)) if draft else attempts

    async def _finish(self, answer: Answer) -> Finished:
        """Keep the answer and its receipt; what cannot be kept is given all the same."""
        receipt = None
        try:
            receipt = await self._keep_receipt(answer)
        except AssayError as unkept:
            answer = _with_error(answer, unkept)
        try:
            if answer.solution is None and answer.error is not None:
                self.record(SessionFailed(error=answer.error))
            else:
                self.record(AnswerGiven(answer=answer, receipt=str(receipt) if receipt else None))
        except StoreError as unkept:
            answer = _with_error(answer, unkept)
        return Finished(self.session, answer, receipt)

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
            session=self.session,
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
    graph = import_module(f"assay.flows.{check_flow(flow)}").build()
    return graph
