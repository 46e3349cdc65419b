"""Assay from Python: what the command line and other programs build on.

from assay import Assay, Task

result = Assay().ask(Task(instructions="Write a function …", examples=("f(1) == 2",)))
print(result.answer.headline, result.answer.solution)

async for event in Assay().events(task):
    ...
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from assay.checks.environment import describe_environment
from assay.checks.given_tests import in_language_of_tests
from assay.checks.runner import run_checks
from assay.checks.subject import Subject
from assay.checks.validation import list_grants, validate, validate_tests
from assay.domain.advice import advise
from assay.domain.checkin import CheckedIn, Target
from assay.domain.choices import Require
from assay.domain.event import CheckedInto, Event
from assay.domain.judgement import judge_answer
from assay.domain.results import Report, Result, Verification
from assay.domain.task import Task
from assay.domain.verdict import CheckName, Verdict
from assay.errors import BadInput, CheckInRefused, ToolchainMissing, UnknownName
from assay.opening import open_resources, open_warm_sandbox
from assay.sandbox.languages import add_languages
from assay.sandbox.protocol import Sandbox
from assay.settings import Settings, read_settings
from assay.store.receipts import changed_files, read_receipt

if TYPE_CHECKING:
    from assay.checkin.run import Proposal
    from assay.flows.resources import Resources
    from assay.store.store import Store


def _folder_of(task: Task) -> dict[str, bytes]:
    """The files of the folder that was worked on, as they were."""
    names = set(task.folder)
    return {one.name: one.content for one in task.attachments if one.name in names}


def ignore(*_: object) -> None:
    """Do nothing with what happens."""


class Assay:
    """Answers tasks with code that has run. Safe to use for several tasks at once."""

    def __init__(self, settings: Settings | None = None, **overrides: Any) -> None:
        """Use `settings`, or what the environment and project say with `overrides` on top.

        Raises:
            UsageError: a setting does not exist, or its value cannot be used; so with a language
                that is added.
        """
        if settings is not None and overrides:
            raise TypeError("give settings as a whole or one by one, not both")
        self.settings = settings or read_settings(**overrides)
        if self.settings.languages is not None:
            add_languages(self.settings.languages)
        self._kept: Sandbox | None = None

    async def __aenter__(self) -> Self:
        """Keep one sandbox with what is ready in it over many calls, until the block's end.

        Raises:
            NoSandbox: there is none on this machine.
        """
        self._kept = open_warm_sandbox(self.settings, refills=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let go of the sandbox; no call may be going on."""
        if self._kept:
            kept, self._kept = self._kept, None
            await kept.aclose()

    def ask(self, task: Task) -> Result:
        """Run `task` to its end and return how it ended: the plain call.

        Raises:
            AssayError: the session could not begin (wrong use, no sandbox, no database).
                Errors on the way are part of the answer.
        """
        return asyncio.run(self.run(task))

    async def run(self, task: Task, on_event: Callable[[Event], None] = ignore) -> Result:
        """Run `task` to its end; `on_event` is called with each event after it was stored."""
        from assay.flows.run import check_flow, run_session
        from assay.models.tape.opening import with_remarks

        flow = check_flow(self.settings.flow)
        task = in_language_of_tests(task)
        await asyncio.to_thread(validate, task)
        if "limits" not in task.model_fields_set:
            task = task.model_copy(update={"limits": self.settings.limits})
        async with self._resources(self.settings, task) as resources:
            result = await run_session(task, flow, resources, on_event)
            answer = with_remarks(result.answer, resources.model)
            return replace(result, answer=answer)

    def follow_up(self, session: str, task: Task) -> Task:
        """Make `task` go on from what came of an earlier session; `ask`, `run` or `events` runs it.

        The earlier solution, tests, examples, attachments, documentation, language and limits are
        taken over where `task` does not give its own; earlier tests and examples still have to
        pass. Grants are permissions: give them again.

        Raises:
            SessionNotFound: there is no session whose id begins so.
            SessionRunning: it is still running.
            BadInput: it has no answer to go on from.
        """
        from assay.flows.following import follow_up

        with closing(self.open_store()) as store:
            return follow_up(store, store.find(session), task)

    async def resume(self, session: str, on_event: Callable[[Event], None] = ignore) -> Result:
        """Go on with a session that was stopped or cut off, from its last finished step.

        It runs on the models it was begun with; a `base_url` of these settings comes before the
        session's own. No reply that has come is paid for again. What came of a session that has
        ended is returned as it is.

        Args:
            session: Its id, or the beginning of it.
            on_event: Is called with each new event after it was stored.

        Raises:
            SessionNotFound: there is no such session.
            SessionRunning: a living process works on it.
            LeaseLost: another process has gone on with it meanwhile.
            AssayError: its model, a granted variable or the sandbox is not there now; the session
                stays as it was.
        """
        from assay.flows.outcome import agents_of, answered_tries, how_it_ended
        from assay.flows.run import check_flow, resume_session

        with closing(self.open_store()) as store:
            known = store.find(session)
            store.require_idle(known)
            if (ended := how_it_ended(store, known)) is not None:
                return ended
            begun, answered = store.record(known), answered_tries(store, known)
            agents = agents_of(store, known)
        check_flow(begun.flow)
        await asyncio.to_thread(validate, begun.task)
        update = {
            "model": begun.model,
            "base_url": self.settings.base_url or begun.base_url,
            "agents": agents,
            # A tape holds whole sessions.
            "record": None,
            "replay": None,
        }
        settings = self.settings.model_copy(update=update)
        async with self._resources(settings, begun.task, answered) as resources:
            return await resume_session(known, resources, on_event)

    async def events(self, task: Task) -> AsyncGenerator[Event]:
        """Run `task` and yield its events; leaving the loop early stops the session."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        running = asyncio.create_task(self.run(task, queue.put_nowait))
        running.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def check(
        self,
        subject: Subject,
        *,
        require: Require | None = None,
        trust_in_process: bool = False,
        on_started: Callable[[CheckName], None] = ignore,
        on_verdict: Callable[[Verdict], None] = ignore,
        on_progress: Callable[[CheckName, int, int], None] = ignore,
    ) -> Report:
        """Run the checks on code that exists already, with no model.

        Raises:
            AssayError: a test or example cannot be used, or there is no sandbox.
        """
        await asyncio.to_thread(validate_tests, subject.language, subject.tests, subject.examples)
        cache = self.settings.cache_folder
        environment = None
        async with self._sandbox(refills=False) as sandbox:
            verdicts = await run_checks(
                subject, sandbox, cache, on_started, on_verdict, on_progress=on_progress
            )
            with suppress(ToolchainMissing, UnknownName):
                environment = await describe_environment(subject, sandbox, cache)
        return Report(
            verdicts=verdicts,
            judgement=judge_answer(
                subject.solution, verdicts, require=require, trust_in_process=trust_in_process
            ),
            environment=environment,
            advice=tuple(advise(verdicts, subject.language)),
        )

    async def verify(
        self,
        path: Path,
        *,
        with_grants: bool = False,
        on_started: Callable[[CheckName], None] = ignore,
        on_verdict: Callable[[Verdict], None] = ignore,
        on_progress: Callable[[CheckName, int, int], None] = ignore,
    ) -> Verification:
        """Run a receipt's checks again, believing no verdict that is written in it.

        Args:
            path: The receipt's file.
            with_grants: Give the run what the receipt says it was given (variables, packages,
                an interpreter, more than the usual limits, trust). A receipt in Assay's own folder
                needs no such permission: it was the person's own flags that gave it.
            on_started: Called with each check as it begins.
            on_verdict: Called with each new verdict.
            on_progress: Called with a check, how many of its cases are done, and of how many.

        Raises:
            ReceiptError: it cannot be read.
            BadInput: it names grants, and there is no permission for them.
        """
        receipt = read_receipt(path)
        changed = changed_files(receipt)
        if changed:
            return Verification(receipt, changed, None)
        granted = with_grants or self._is_own(path)
        if (given := list_grants(receipt)) and not granted:
            raise BadInput(
                "The receipt's runs were given more than the bare sandbox: "
                f"{given}. If you want to give that again, say --with-grants."
            )
        subject = Subject(
            solution=receipt.solution,
            tests=receipt.tests,
            examples=receipt.examples,
            generated=receipt.generated_tests,
            attachments=receipt.attachments,
            delivers_tests=receipt.delivers_tests,
            test_command=receipt.test_command,
            grants=receipt.grants,
            run_limits=receipt.environment.limits,
        )
        report = await self.check(
            subject,
            require=receipt.require,
            trust_in_process=receipt.trust_in_process,
            on_started=on_started,
            on_verdict=on_verdict,
            on_progress=on_progress,
        )
        return Verification(receipt, (), report)

    def check_in(
        self,
        session: str,
        target: Target,
        *,
        allow_unverified: bool = False,
        approve: Callable[[Proposal], bool] = lambda proposal: True,
    ) -> CheckedIn:
        """Put a session's answer where code lives; what is there already is found, not made twice.

        A token for GitHub comes from GITHUB_TOKEN or GH_TOKEN.

        Args:
            session: Its id, or the beginning of it.
            target: Where to.
            allow_unverified: Whether it may lack the evidence that was required.
            approve: Is shown what would be done, and says whether to do it.

        Raises:
            SessionNotFound: there is no such session.
            SessionRunning: it is still running.
            CheckInError: it cannot be done, or was not approved of.
            BadInput: the target cannot be used.
        """
        from assay.checkin.change import change_of
        from assay.checkin.run import perform, propose
        from assay.flows.outcome import how_it_ended

        with closing(self.open_store()) as store:
            known = store.find(session)
            store.require_idle(known)
            ended = how_it_ended(store, known)
            if ended is None:
                raise BadInput(f"Session {known} has not ended. Go on with `assay resume {known}`.")
            asked = store.task(known).instructions
            change = change_of(known, asked, ended.answer, allow_unverified=allow_unverified)
            here = Path.cwd()
            proposal = propose(change, target, here, _folder_of(store.task(known)))
            if not approve(proposal):
                raise CheckInRefused("It was not approved of, so nothing was checked in.")
            token = os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN") or ""
            done = perform(proposal, here, github_url=self.settings.github_url, token=token)
            store.append_after(known, CheckedInto(done=done))
            return done

    def open_store(self) -> Store:
        """The database with all sessions.

        Raises:
            StoreError: it cannot be opened; says what to do.
        """
        from assay.store.store import Store

        return Store.open(self.settings.database)

    def _is_own(self, receipt: Path) -> bool:
        return receipt.resolve().parent == self.settings.receipts.resolve()

    @asynccontextmanager
    async def _sandbox(self, *, refills: bool) -> AsyncIterator[Sandbox]:
        """The sandbox that is kept, else one for this call."""
        if self._kept:
            yield self._kept
            return
        sandbox = open_warm_sandbox(self.settings, refills=refills)
        try:
            yield sandbox
        finally:
            await sandbox.aclose()

    @asynccontextmanager
    async def _resources(
        self, settings: Settings, task: Task, script_from: int = 0
    ) -> AsyncIterator[Resources]:
        async with (
            self._sandbox(refills=True) as sandbox,
            open_resources(
                settings, sandbox, task.grants.env, script_from=script_from
            ) as resources,
        ):
            yield resources
