"""Running a session: from its beginning, or from where another process was cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit, urlunsplit

from assay.domain.event import Event, SessionResumed, SessionStarted, SessionStopped
from assay.domain.results import Result
from assay.domain.task import Task
from assay.errors import AssayError, LeaseLost, SessionNotFound, StoreError, UnknownName
from assay.flows.journal import Journal
from assay.flows.outcome import how_it_ended
from assay.flows.resources import Resources
from assay.flows.session import Session
from assay.store.recorder import Recorder

FLOWS = ("single", "correct", "team")


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
) -> Result:
    """Run `task` on `flow` to its answer; each event is stored, then given to `on_event`.

    An error that ends the session becomes part of the answer, with the best attempt so far.

    Raises:
        StoreError: the session cannot be kept.
        LeaseLost: another process has gone on with it.
        asyncio.CancelledError: the session was stopped; it is stored as such.
    """
    session = await asyncio.to_thread(
        resources.store.create_session,
        flow=flow,
        model=resources.model.name,
        task=task,
        base_url=_without_user(resources.base_url),
        follows=task.earlier.session if task.earlier else None,
    )
    recorder = Recorder(resources.store, session, on_event)
    return await _run(Session(session, 1, task, flow, resources, Journal(), recorder))


async def resume_session(
    session: str, resources: Resources, on_event: Callable[[Event], None]
) -> Result:
    """Go on with a session that was cut off, from its last finished step; see `run_session`.

    No reply that is there is asked for again, no check that has its verdict runs again, and what
    was recorded before is not recorded again. A session that has ended is left as it is.

    Raises:
        SessionNotFound: there is no such session.
        SessionRunning: a living process works on it.
    """
    store = resources.store
    generation = await asyncio.to_thread(store.take_over, session)
    try:
        if (ended := how_it_ended(store, session)) is not None:
            return ended
        begun, journal = store.record(session), Journal(store.events(session))
        recorder = Recorder(store, session, on_event, generation=generation)
        return await _run(
            Session(session, generation, begun.task, begun.flow, resources, journal, recorder)
        )
    finally:
        store.release(session)


async def _run(session: Session) -> Result:
    started = SessionStarted(
        flow=session.flow,
        model=session.resources.model.name,
        instructions=session.task.instructions,
        agents=session.resources.agents,
    )
    try:
        await session.record(started)
        if session.is_resumed:
            await session.record(SessionResumed())
        return await session.run()
    except asyncio.CancelledError:
        session.recorder.is_patient = False
        # Stopped it is, even where that cannot be stored.
        with suppress(StoreError, LeaseLost, SessionNotFound):
            await session.record(SessionStopped())
        raise
    except BaseException:
        # Nothing may be written any more once the store is closed.
        session.recorder.is_patient = False
        with suppress(AssayError):
            await session.recorder.settle()
        raise


def _without_user(url: str | None) -> str | None:
    """An address without the name and password that it may hold, which are kept nowhere."""
    if url is None:
        return None
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
