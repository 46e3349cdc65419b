"""Running one session: prepare, walk the flow's graph, judge, write the receipt."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from assay.checks.environment import describe_environment
from assay.checks.runner import run_checks
from assay.checks.subject import Subject
from assay.domain.answer import Answer, Attempt, ErrorInfo, Status
from assay.domain.event import (
    AnswerGiven,
    CheckEnded,
    CheckStarted,
    Event,
    Happening,
    SessionFailed,
    SessionStarted,
    SessionStopped,
)
from assay.domain.judgement import best_attempt, judge
from assay.domain.limits import EMBEDDED_DOCUMENTATION_TOKENS
from assay.domain.receipt import Environment, Receipt
from assay.domain.solution import Solution
from assay.domain.task import Task
from assay.domain.usage import Usage
from assay.domain.verdict import CheckName, Verdict
from assay.errors import (
    AssayError,
    LimitReached,
    ModelError,
    NoCode,
    StoreError,
    ToolchainMissing,
    UnknownName,
)
from assay.flows.asking import asking
from assay.flows.desk import Desk
from assay.flows.prepare import all_examples, documentation_text, warn_of_wait, write_brief
from assay.flows.state import State, attempts_of, initial_state
from assay.models.budget import Budget
from assay.models.budgeted import BudgetedModel
from assay.models.model import Model
from assay.sandbox.protocol import Sandbox
from assay.store.checkpoints import open_checkpoints
from assay.store.receipts import hashes_of, write_receipt
from assay.store.recorder import Recorder
from assay.store.store import Store

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

FLOWS = ("single", "correct")

ANSWER_TOKENS = 8192
"""What is left free for the answer when documentation fills a model's window."""


@dataclass(frozen=True)
class Workshop:
    """What sessions run on."""

    store: Store
    model: Model
    sandbox: Sandbox
    database: Path
    receipts: Path
    cache_folder: Path
    documentation_tokens: int | None = None
    allow_private_addresses: bool = False
    shows_code: bool | None = None
    """Whether failed code goes back to the model. None: not to an embedded one."""


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
    task: Task, flow: str, workshop: Workshop, on_event: Callable[[Event], None]
) -> Finished:
    """Run `task` on `flow` to its answer; each event is stored, then given to `on_event`.

    An error that ends the session becomes part of the answer, with the best attempt so far.

    Raises:
        StoreError: the session cannot be kept.
        asyncio.CancelledError: the session was stopped; it is stored as such.
    """
    session = workshop.store.create_session(flow=flow, model=workshop.model.name, task=task)
    recorder = Recorder(workshop.store, session, on_event)
    recorder.record(
        SessionStarted(flow=flow, model=workshop.model.name, instructions=task.instructions)
    )
    try:
        return await _Session(session, task, flow, workshop, recorder.record).run()
    except asyncio.CancelledError:
        recorder.record(SessionStopped())
        raise


@dataclass
class _Session:
    session: str
    task: Task
    flow: str
    workshop: Workshop
    record: Callable[[Happening], None]

    async def run(self) -> Finished:
        budget = Budget(self.task.limits)
        attempts: tuple[Attempt, ...] = ()
        error: AssayError | None = None
        async with open_checkpoints(self.workshop.database) as saver:
            graph = _load(self.flow).compile(checkpointer=saver)
            try:
                async with asyncio.timeout(self.task.limits.seconds):
                    desk = await self._desk(budget)
                    await graph.ainvoke(
                        initial_state(), self._config, context=desk, durability="sync"
                    )
            except TimeoutError:
                error = budget.out_of_time()
            except (ModelError, LimitReached, StoreError) as raised:
                error = raised
            except AssayError as raised:
                return self._fail(raised, budget.usage)
            attempts = await self._attempts(graph)
        return await self._conclude(attempts, error, budget.usage)

    async def _desk(self, budget: Budget) -> Desk:
        workshop, model = self.workshop, self.workshop.model
        environment = await self._environment(Solution(language=self.task.language or "python"))
        room = model.context_tokens - ANSWER_TOKENS
        default = min(EMBEDDED_DOCUMENTATION_TOKENS, room) if model.is_embedded else room
        documentation = await documentation_text(
            self.task,
            budget_tokens=workshop.documentation_tokens or default,
            cache_folder=workshop.cache_folder,
            allow_private=workshop.allow_private_addresses,
            record=self.record,
        )
        if documentation and model.is_embedded:
            warn_of_wait(await model.count_tokens(documentation), self.record)
        shows_code = workshop.shows_code
        brief = write_brief(
            self.task,
            documentation=documentation,
            environment=environment,
            shows_code=not model.is_embedded if shows_code is None else shows_code,
        )
        ask = asking(
            session=self.session,
            model=BudgetedModel(model, budget),
            budget=budget,
            store=workshop.store,
            record=self.record,
            seed=self.task.seed,
        )
        return Desk(self.task, brief, ask, self._check, self.record)

    async def _check(self, attempt: int, solution: Solution) -> tuple[Verdict, ...]:
        def on_started(check: CheckName) -> None:
            self.record(CheckStarted(attempt=attempt, check=check))

        def on_verdict(verdict: Verdict) -> None:
            self.record(CheckEnded(attempt=attempt, verdict=verdict))

        return await run_checks(
            self._subject(solution),
            self.workshop.sandbox,
            self.workshop.cache_folder,
            on_started,
            on_verdict,
        )

    def _subject(self, solution: Solution) -> Subject:
        return Subject(
            solution=solution,
            tests=self.task.tests,
            examples=all_examples(self.task, solution.language),
            attachments=self.task.attachments,
            grants=self.task.grants,
            run_limits=self.task.run_limits,
        )

    async def _environment(self, solution: Solution) -> Environment:
        workshop = self.workshop
        return await describe_environment(
            self._subject(solution), workshop.sandbox, workshop.cache_folder
        )

    @property
    def _config(self) -> Any:
        return {"configurable": {"thread_id": f"{self.session}:1"}, "recursion_limit": 1000}

    async def _attempts(
        self, graph: CompiledStateGraph[State, Desk, Any, Any]
    ) -> tuple[Attempt, ...]:
        """All attempts so far, one that was cut off in its checks included."""
        snapshot = await graph.aget_state(self._config)
        if not snapshot.values:
            return ()
        attempts = attempts_of(cast("State", snapshot.values))
        draft = snapshot.values.get("draft")
        return (*attempts, Attempt.model_validate(draft)) if draft else attempts

    async def _conclude(
        self, attempts: Sequence[Attempt], error: AssayError | None, usage: Usage
    ) -> Finished:
        best = best_attempt(attempts)
        if best is None or best.solution is None:
            return self._fail(error or _last_error(attempts), usage, attempts)
        if best.solution.is_prose:
            answer = Answer(
                status=Status.ANSWERED,
                headline="Answered in words: there was nothing to run.",
                has_required_evidence=True,
            )
        else:
            judgement = judge(
                best.verdicts,
                require=self.task.require,
                trust_in_process=self.task.trust_in_process,
            )
            answer = Answer(**judgement.model_dump(), advice=_advice(attempts))
        answer = answer.model_copy(
            update={
                "solution": best.solution,
                "best": best.number,
                "attempts": tuple(attempts),
                "usage": usage,
                "error": _info(error),
            }
        )
        receipt = None
        try:
            if not best.solution.is_prose:
                receipt = await self._write_receipt(best, answer)
            self.record(AnswerGiven(answer=answer, receipt=str(receipt) if receipt else None))
        except StoreError as unkept:
            # What cannot be kept is given all the same.
            answer = answer.model_copy(update={"error": _info(unkept)})
        return Finished(self.session, answer, receipt)

    async def _write_receipt(self, best: Attempt, answer: Answer) -> Path | None:
        """None where the language cannot be run here: a receipt without a run proves nothing."""
        assert best.solution is not None  # noqa: S101 - only called with one
        task, examples = self.task, all_examples(self.task, best.solution.language)
        try:
            environment = await self._environment(best.solution)
        except (ToolchainMissing, UnknownName):
            return None
        receipt = Receipt(
            session=self.session,
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            instructions=task.instructions,
            model=self.workshop.model.name,
            flow=self.flow,
            status=answer.status,
            headline=answer.headline,
            solution=best.solution,
            tests=task.tests,
            examples=examples,
            attachments=task.attachments,
            require=task.require,
            trust_in_process=task.trust_in_process,
            grants=task.grants,
            environment=environment,
            verdicts=best.verdicts,
            hashes=hashes_of(best.solution, task.tests, task.attachments),
            usage=answer.usage,
        )
        return write_receipt(receipt, self.workshop.receipts)

    def _fail(self, error: AssayError, usage: Usage, attempts: Sequence[Attempt] = ()) -> Finished:
        info = ErrorInfo(kind=error.kind, message=error.message)
        answer = Answer(
            status=Status.FAILED,
            headline=f"No answer. {error.message}",
            has_required_evidence=False,
            attempts=tuple(attempts),
            usage=usage,
            error=info,
        )
        # A full disk may be why there is no answer; that is in the answer then.
        with suppress(StoreError):
            self.record(SessionFailed(error=info))
        return Finished(self.session, answer, None)


def _load(flow: str) -> Any:
    return import_module(f"assay.flows.{check_flow(flow)}").build()


def _info(error: AssayError | None) -> ErrorInfo | None:
    return None if error is None else ErrorInfo(kind=error.kind, message=error.message)


def _last_error(attempts: Sequence[Attempt]) -> AssayError:
    reasons = [attempt.error.message for attempt in attempts if attempt.error]
    return NoCode(f"No reply could be used. {reasons[-1] if reasons else ''}".strip())


def _advice(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """What the person can do about what was missing in the last attempt."""
    last = attempts[-1].verdicts if attempts else ()
    names = sorted({name for verdict in last for name in verdict.evidence.missing})
    if not names:
        return ()
    listed = ", ".join(names)
    return (
        f"{listed} cannot be found in a run. If you trust it, name its package in a "
        "requirements file and give that with --requirements.",
    )
