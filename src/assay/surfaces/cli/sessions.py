"""`assay sessions`, `show` and `delete`: what was asked before, and what came of it."""

from __future__ import annotations

import datetime
import difflib
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from assay.surfaces.cli import options
from assay.surfaces.cli.exits import told
from assay.surfaces.cli.wording import say_failure
from assay.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.domain.answer import Attempt
    from assay.domain.solution import Solution
    from assay.store.records import StoredReply
    from assay.store.store import Store


def list_sessions(
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="The latest so many.")] = 20,
    as_json: options.Json = False,
) -> None:
    """List the latest sessions."""
    with told(as_json):
        from assay.surfaces.cli import output
        from assay.surfaces.cli.streams import print_json

        with _opened() as store:
            found = store.sessions(limit=limit)
        if as_json:
            listed = [one.model_dump(mode="json") for one in found]
            print_json({"sessions": listed, "error": None})
            return
        rows = [
            (one.id, _when(one.created), one.status or one.state, one.model, one.title)
            for one in found
        ]
        output.table(rows, ("session", "asked", "status", "model", "question"))
        if left := [one.id for one in found if one.resumable]:
            typer.echo(f"to go on with what was cut off: assay resume {left[0]}", err=True)


def show(session: options.SessionId, as_json: options.Json = False) -> None:
    """Show a session: attempts, prompts, replies, usage.

    Prompts are shown as they were sent, attempts with the differences between them.
    """
    with told(as_json):
        from assay.surfaces.cli.streams import print_json, write_out

        with _opened() as store:
            known = store.find(session)
            if as_json:
                print_json(_as_json(store, known))
            else:
                write_out("\n".join(_as_text(store, known)) + "\n")


def delete(session: options.SessionId) -> None:
    """Delete a session with all that was kept of it."""
    with told(), _opened() as store:
        known = store.find(session)
        store.delete(known)
        typer.echo(f"deleted {known}", err=True)


def _opened() -> closing[Store]:
    from assay.client import Assay
    from assay.surfaces.cli import inputs

    return closing(Assay(inputs.settings()).open_store())


def _as_json(store: Store, session: str) -> dict[str, object]:
    task = store.task(session)
    return {
        "session": session,
        "follows": task.earlier.session if task.earlier else None,
        "followed_by": store.followers(session),
        "task": task.model_dump(mode="json"),
        "attempts": [attempt.model_dump(mode="json") for attempt in _attempts(store, session)],
        "replies": [stored.model_dump(mode="json") for stored in store.replies(session)],
        "events": [event.model_dump(mode="json") for event in store.events(session)],
        "error": None,
    }


def _as_text(store: Store, session: str) -> Iterator[str]:
    """The whole session in the order in which it went."""
    task = store.task(session)
    yield f"session {session}"
    if task.earlier:
        is_there = store.exists(task.earlier.session)
        yield f"follows {task.earlier.session}{'' if is_there else ', which was deleted'}"
    for follower in store.followers(session):
        yield f"followed by {follower}"
    yield visible(task.instructions)
    replies = store.replies(session)
    # Of a team, before there is any attempt.
    for stored in replies:
        if not stored.attempt:
            yield from _exchange(stored)
    before: Attempt | None = None
    for attempt in _attempts(store, session):
        yield f"\n=== attempt {attempt.number}"
        # A solution's reply comes before its checks, what was said about it after them.
        own = [stored for stored in replies if stored.attempt == attempt.number]
        for stored in own[:1]:
            yield from _exchange(stored)
        if before is not None and before.solution and attempt.solution:
            yield f"\n--- what is different from attempt {before.number}"
            yield visible("\n".join(_difference(before.solution, attempt.solution))) or "nothing"
        yield "\n--- checks"
        if attempt.error:
            yield visible(attempt.error.message)
        for verdict in attempt.verdicts:
            yield visible(f"{verdict.check}: {verdict.outcome}  {verdict.evidence.summary}".strip())
            for failure in verdict.evidence.failures:
                yield visible(f"  {failure.test}")
                yield from (visible(f"    {text}") for text, _ in say_failure(failure))
        for stored in own[1:]:
            yield from _exchange(stored)
        before = attempt
    yield from _ending(store, session)


def _exchange(stored: StoredReply) -> Iterator[str]:
    """A prompt as it was sent, and its reply."""
    for message in stored.messages:
        yield f"\n--- {stored.role}, sent as {message.role}"
        yield visible(message.content)
    spent = stored.reply.usage
    yield (
        f"\n--- reply: {spent.input_tokens} tokens in ({spent.cached_tokens} cached), "
        f"{spent.output_tokens} out, {spent.seconds:.1f} s"
    )
    yield visible(stored.reply.text)


def _ending(store: Store, session: str) -> Iterator[str]:
    from assay.domain.event import (
        AnswerGiven,
        CheckedInto,
        SessionFailed,
        SessionResumed,
        SessionStopped,
    )
    from assay.surfaces.cli.teamwork import say_record

    for event in store.events(session):
        match event.happening:
            case AnswerGiven(answer=answer, receipt=receipt):
                if answer.team is not None:
                    yield "\n--- the team"
                    yield from map(visible, say_record(answer.team))
                yield f"\n=== {answer.status}: {visible(answer.headline)}"
                spent = answer.usage
                yield (
                    f"usage: {spent.calls} calls, {spent.input_tokens} tokens in "
                    f"({spent.cached_tokens} cached), {spent.output_tokens} out"
                )
                if receipt:
                    yield f"receipt {receipt}"
            case SessionFailed(error=error):
                yield f"\n=== failed: {visible(error.message)}"
            case CheckedInto(done=done):
                yield f"\n=== checked in: {visible(done.where)}"
            case SessionStopped():
                yield "\n=== stopped"
            case SessionResumed():
                yield "\n=== resumed"


def _attempts(store: Store, session: str) -> Sequence[Attempt]:
    from assay.store.history import attempts_of

    return attempts_of(store.events(session))


def _difference(before: Solution, after: Solution) -> Iterator[str]:
    old = {file.path: file.source.splitlines() for file in before.files}
    new = {file.path: file.source.splitlines() for file in after.files}
    for path in sorted({*old, *new}):
        yield from difflib.unified_diff(
            old.get(path, []), new.get(path, []), f"a/{path}", f"b/{path}", lineterm=""
        )


def _when(seconds: float) -> str:
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC).astimezone()
    return moment.strftime("%Y-%m-%d %H:%M")
