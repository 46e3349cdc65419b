"""Follow-ups: what a session takes over from the one that it goes on from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from assay.agents.brief import Brief
from assay.agents.feedback import feedback_on
from assay.domain.answer import Attempt
from assay.domain.event import Happening, Notice
from assay.domain.judgement import best_attempt
from assay.domain.task import Earlier, Task
from assay.domain.usage import Usage
from assay.errors import BadInput
from assay.flows.conclusion import conclude
from assay.flows.prepare import all_examples
from assay.store.history import attempts_of
from assay.store.records import SessionRecord
from assay.store.store import Store

MAX_QUESTIONS = 5
MAX_QUESTION_CHARACTERS = 2000
MAX_FAILURES = 5
MAX_FAILURE_CHARACTERS = 1000


def follow_up(store: Store, session: str, task: Task) -> Task:
    """Put together the task of a follow-up, so that it needs the earlier session no more.

    Tests, examples and attachments are those of both, the later one of two files with one name.
    Language and limits are the earlier ones where `task` has none, documentation likewise.
    Grants are permissions, and have to be given again.

    Args:
        store: Where the earlier session is.
        session: Its id.
        task: What is asked now.

    Raises:
        SessionNotFound: there is no such session.
        SessionRunning: it is still running.
        BadInput: it has no answer to go on from.
    """
    store.require_idle(session)
    begun = store.record(session)
    before = begun.task
    attempts = attempts_of(store.events(session))
    best = best_attempt(attempts)
    if best is None or best.solution is None:
        raise BadInput(
            f"Session {session} has no answer to go on from. If it was cut off, `assay resume "
            f"{session}` brings one; else ask anew."
        )
    kept = _kept_documentation(begun) if not task.documentation else ""
    earlier = Earlier(
        session=session,
        questions=_questions(before),
        solution=best.solution,
        standing=_standing(before, attempts, best),
        failures=_failures(before, attempts, best),
        documentation=kept,
        grants=before.grants,
        trust_in_process=before.trust_in_process,
    )
    examples = all_examples(before, best.solution.language)
    tests = {one.name: one for one in (*before.tests, *task.tests)}
    attachments = {one.name: one for one in (*before.attachments, *task.attachments)}
    return task.model_copy(
        update={
            "earlier": earlier,
            "language": task.language or best.solution.language or before.language,
            # What cannot be had as it was read is read again.
            "documentation": task.documentation or (() if kept else before.documentation),
            "attachments": tuple(attachments.values()),
            "tests": tuple(tests.values()),
            "examples": tuple(dict.fromkeys((*examples, *task.examples))),
            "hide_tests": task.hide_tests or before.hide_tests,
            "require": task.require or before.require,
            "limits": task.limits if "limits" in task.model_fields_set else before.limits,
            "run_limits": task.run_limits or before.run_limits,
        }
    )


def missing_grants(task: Task) -> Iterable[Happening]:
    """Say what the session that is followed was given and this one is not."""
    if task.earlier is None:
        return
    given, now = task.earlier.grants, task.grants
    flags = [f"--env {name}" for name in given.env if name not in now.env]
    flags += ["--python"] if given.python and not now.python else []
    flags += ["--requirements"] if given.requirements and not now.requirements else []
    flags += [f"--stand-in {name}" for name in given.stand_ins if name not in now.stand_ins]
    trusted = task.earlier.trust_in_process and not task.trust_in_process
    flags += ["--trust-in-process"] if trusted else []
    if flags:
        yield Notice(
            text=f"The session before had {', '.join(flags)}, which is a permission and was not "
            "taken over. Give it again if it is still needed."
        )


def _questions(before: Task) -> tuple[str, ...]:
    earlier = before.earlier.questions if before.earlier else ()
    asked = _shortened(before.instructions, MAX_QUESTION_CHARACTERS)
    return (*earlier, asked)[-MAX_QUESTIONS:]


def _standing(before: Task, attempts: Sequence[Attempt], best: Attempt) -> str:
    """What the checks of the best attempt came to, in words that a model may read."""
    if failed := feedback_on(best, hide_tests=before.hide_tests):
        return _shortened(failed, MAX_FAILURE_CHARACTERS)
    return conclude(before, attempts, None, Usage()).headline if best.verdicts else ""


def _failures(before: Task, attempts: Sequence[Attempt], best: Attempt) -> tuple[str, ...]:
    """What went wrong in the attempts that came to nothing, the latest ones."""
    said = (feedback_on(one, hide_tests=before.hide_tests) for one in attempts if one is not best)
    earlier = before.earlier.failures if before.earlier else ()
    short = (_shortened(each, MAX_FAILURE_CHARACTERS) for each in said if each)
    return tuple(dict.fromkeys((*earlier, *short)))[-MAX_FAILURES:]


def _kept_documentation(begun: SessionRecord) -> str:
    """The documentation as it was in the prompts; nothing where another Assay has kept it."""
    try:
        return Brief.model_validate_json(begun.prepared or "").documentation
    except ValidationError:
        return ""


def _shortened(text: str, most: int) -> str:
    text = text.strip()
    return text if len(text) <= most else f"{text[:most]}…"
