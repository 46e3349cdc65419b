"""What happens in a session, one class a kind; the only thing that surfaces show.

Each class has the tag `kind`; a stored event adds the session, a number and the time.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from assay.domain.answer import Answer, ErrorInfo
from assay.domain.checkin import CheckedIn
from assay.domain.data import Data, Moment
from assay.domain.message import FinishReason
from assay.domain.plan import Plan
from assay.domain.roles import Agents
from assay.domain.solution import Solution
from assay.domain.team import Optimization, Suite
from assay.domain.usage import Usage
from assay.domain.verdict import CheckName, Verdict


class SessionStarted(Data):
    """The first event of each session."""

    kind: Literal["session_started"] = "session_started"
    flow: str
    model: str
    instructions: str
    agents: Agents = Field(default_factory=dict)
    """What was set for each role."""


class DocumentationReading(Data):
    """A source of documentation is being read; `pages` so far."""

    kind: Literal["documentation_reading"] = "documentation_reading"
    source: str
    pages: int = 0


class DocumentationRead(Data):
    """All documentation is there, and fitted into the prompt's budget."""

    kind: Literal["documentation_read"] = "documentation_read"
    pages: int
    tokens: int
    used_tokens: int
    left_out: tuple[str, ...] = ()
    """Titles or sources of what did not fit."""


class Notice(Data):
    """Something that the person should know: a file left out, a long wait ahead."""

    kind: Literal["notice"] = "notice"
    text: str


class CallStarted(Data):
    """A model is asked."""

    kind: Literal["call_started"] = "call_started"
    attempt: int
    role: str
    model: str


class PromptProgress(Data):
    """The model reads a long prompt."""

    kind: Literal["prompt_progress"] = "prompt_progress"
    done: int
    total: int
    """In tokens."""


class Text(Data):
    """A piece of the reply as it comes."""

    kind: Literal["text"] = "text"
    text: str


class Retrying(Data):
    """The service refused for now; the call is made again after a pause."""

    kind: Literal["retrying"] = "retrying"
    reason: str
    seconds: float


class CallEnded(Data):
    """A reply is whole."""

    kind: Literal["call_ended"] = "call_ended"
    attempt: int
    role: str
    finish_reason: FinishReason | None
    usage: Usage


class SolutionRead(Data):
    """The reply has been read."""

    kind: Literal["solution_read"] = "solution_read"
    attempt: int
    solution: Solution


class ReplyUnread(Data):
    """The reply could not be read; the error goes back to the model."""

    kind: Literal["reply_unread"] = "reply_unread"
    attempt: int
    error: ErrorInfo


class AgentSpoke(Data):
    """What an agent says to the others, in words."""

    kind: Literal["agent_spoke"] = "agent_spoke"
    role: str
    text: str


class PlanMade(Data):
    """The steps that a team works off from now on; so many of them are done already."""

    kind: Literal["plan_made"] = "plan_made"
    plan: Plan
    done: int = 0


class StepEnded(Data):
    """A step of the plan is done, or was given up."""

    kind: Literal["step_ended"] = "step_ended"
    step: int
    """From 1."""
    title: str
    done: bool


class SuiteTried(Data):
    """Tests that an agent wrote have been tried on what they must find wrong."""

    kind: Literal["suite_tried"] = "suite_tried"
    suite: Suite


class Optimized(Data):
    """A proposal of the Optimizer has been measured, and was kept or not."""

    kind: Literal["optimized"] = "optimized"
    optimization: Optimization


class CheckStarted(Data):
    """A check has begun."""

    kind: Literal["check_started"] = "check_started"
    attempt: int
    check: CheckName


class CheckProgress(Data):
    """Of a program's cases so many have been run; said at most a hundred times a check."""

    kind: Literal["check_progress"] = "check_progress"
    attempt: int
    check: CheckName
    done: int
    total: int


class CheckEnded(Data):
    """A check has its verdict."""

    kind: Literal["check_ended"] = "check_ended"
    attempt: int
    verdict: Verdict


class AttemptEnded(Data):
    """An attempt is over."""

    kind: Literal["attempt_ended"] = "attempt_ended"
    attempt: int
    passed: bool


class AnswerGiven(Data):
    """The last event of a session that came to an answer."""

    kind: Literal["answer_given"] = "answer_given"
    answer: Answer
    receipt: str | None = None
    """Path of the receipt's file."""


class SessionFailed(Data):
    """The last event of a session that ended with an error."""

    kind: Literal["session_failed"] = "session_failed"
    error: ErrorInfo


class SessionStopped(Data):
    """The person stopped the session."""

    kind: Literal["session_stopped"] = "session_stopped"


class CheckedInto(Data):
    """The answer was put somewhere; this comes after a session's last event."""

    kind: Literal["checked_in"] = "checked_in"
    done: CheckedIn


class SessionResumed(Data):
    """Another process goes on with a session that was stopped or interrupted.

    What was recorded before is not recorded again; a reply that was cut starts from nothing.
    """

    kind: Literal["session_resumed"] = "session_resumed"


AFTERWARDS = ("checked_in",)
"""Kinds of what may happen when a session has ended; they say nothing of how it did."""

Happening = Annotated[
    SessionStarted
    | DocumentationReading
    | DocumentationRead
    | Notice
    | CallStarted
    | PromptProgress
    | Text
    | Retrying
    | CallEnded
    | SolutionRead
    | ReplyUnread
    | AgentSpoke
    | PlanMade
    | StepEnded
    | SuiteTried
    | Optimized
    | CheckStarted
    | CheckProgress
    | CheckEnded
    | AttemptEnded
    | AnswerGiven
    | SessionFailed
    | SessionStopped
    | SessionResumed
    | CheckedInto,
    Field(discriminator="kind"),
]


class Event(Data):
    """A happening with its place in a session."""

    session: str
    sequence: int = Field(ge=1)
    time: Moment
    happening: Happening
