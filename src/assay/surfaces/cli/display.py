"""What a person watches while a session runs, on stderr.

On a terminal, lines stay and a live region below them shows what goes on now; elsewhere, lines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.spinner import Spinner
from rich.text import Text

from assay.domain import event as events
from assay.domain.answer import Status
from assay.domain.roles import title_of
from assay.domain.task import Grants
from assay.domain.verdict import CheckName, Outcome, Verdict
from assay.surfaces.cli.console import StreamConsole
from assay.surfaces.cli.streams import complain
from assay.surfaces.cli.teamwork import say_teamwork
from assay.surfaces.cli.wording import say_check, say_documentation, say_failure
from assay.visible import visible

TAIL_LINES = 8
LONG_PROMPT = 1000
"""Tokens; shorter prompts are read before a person wonders."""
MANY_CASES = 100
"""Fewer have run before a person wonders."""
MAX_FAILURES = 5
MAX_PRINTED_LINES = 5

_STYLES = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "red",
    Outcome.TIMED_OUT: "red",
    Outcome.OUT_OF_MEMORY: "red",
    Outcome.COULD_NOT_RUN: "yellow",
    Outcome.NOT_RUN: "dim",
}

_STATUS_STYLES = {
    Status.VERIFIED: "green",
    Status.RAN: "cyan",
    Status.ANSWERED: "cyan",
    Status.UNVERIFIED: "yellow",
    Status.FAILED: "red",
}


class Display:
    """Shows events; a context manager. Does nothing when `quiet`."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = StreamConsole(sys.stderr, quiet=quiet)
        self._live = (
            Live(console=self.console, transient=True, refresh_per_second=8)
            if self.console.is_terminal and not quiet
            else None
        )
        self._spinner = Spinner("dots")
        self._doing = ""
        self._tail = ""
        self._writer = ""
        self._quarters = 0

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.stop()

    def show(self, event: events.Event) -> None:
        """Show one event."""
        self.show_happening(event.happening)
        if isinstance(event.happening, events.SessionStopped):
            # What a person needs next, whether they wanted to see progress or not.
            self.insist(f"assay: stopped; to go on: assay resume {event.session}")

    def show_happening(self, happening: events.Happening) -> None:  # noqa: PLR0912
        """Show what happened: one case for each kind, in the order of a session."""
        match happening:
            case events.DocumentationReading():
                self._do(f"reading documentation: {happening.source} ({happening.pages} pages)")
            case events.DocumentationRead():
                self._line(say_documentation(happening))
            case events.Notice():
                self._line(happening.text, "yellow")
            case events.CallStarted():
                self._tail = ""
                self._quarters = 0
                self._writer = title_of(happening.role)
                self._do(f"{_whose(happening)}: {happening.model} is asked")
                if not self._live:
                    self._line(self._doing)
            case events.PromptProgress():
                self._read(happening.done, happening.total)
            case events.Text():
                self._tail = (self._tail + happening.text)[-4000:]
                self._do(f"{self._writer} writes")
            case events.Retrying():
                pause = f"again in {happening.seconds:.0f} s"
                self._line(f"the model's service is not ready ({happening.reason}); {pause}")
            case events.CallEnded():
                self._tail = ""
                spent = happening.usage
                self._line(
                    f"{_whose(happening)}: reply of {spent.output_tokens:,} tokens "
                    f"to {spent.input_tokens:,} ({spent.cached_tokens:,} cached), "
                    f"{spent.seconds:.1f} s",
                    "dim",
                )
            case events.ReplyUnread():
                self._line(f"attempt {happening.attempt}: {happening.error.message}", "red")
            case (
                events.AgentSpoke()
                | events.PlanMade()
                | events.StepEnded()
                | events.SuiteTried()
                | events.Optimized()
            ):
                for text, style in say_teamwork(happening):
                    self._line(text, style)
            case events.CheckStarted():
                self._quarters = 0
                self._do(f"attempt {happening.attempt}: checking {say_check(happening.check)}")
            case events.CheckProgress():
                self.show_progress(happening.check, happening.done, happening.total)
            case events.CheckEnded():
                prefix = f"attempt {happening.attempt}: "
                self.show_verdict(happening.verdict, prefix, whole="assay show")
            case events.AttemptEnded() | events.AnswerGiven() | events.SessionFailed():
                self._do("")
            case events.SessionResumed():
                self._tail = ""
                self._line("resumed", "yellow")
            case events.CheckedInto(done=done):
                self._line(f"checked in: {done.where}")
            case events.SessionStarted() | events.SolutionRead() | events.SessionStopped():
                pass

    def show_verdict(self, verdict: Verdict, prefix: str = "", *, whole: str = "--json") -> None:
        """Show a check with its outcome, its time, and what failed.

        Args:
            verdict: the check's.
            prefix: what its line begins with.
            whole: the command or flag that shows all failures, where there are too many.
        """
        evidence = verdict.evidence
        line = Text(prefix + say_check(verdict.check) + " ")
        line.append(verdict.outcome.value.replace("_", " "), _STYLES[verdict.outcome])
        if evidence.total:
            line.append(f"  {evidence.passed} of {evidence.total}")
        if verdict.outcome is not Outcome.NOT_RUN and evidence.command:
            line.append(f"  {evidence.seconds:.2f} s", "dim")
        # Why they ran in the solution's process, what was skipped, how it ended.
        counts = f"{evidence.passed} of {evidence.total} passed"
        beside = evidence.summary.removeprefix(counts).lstrip(",; ")
        if not verdict.passed and beside and not evidence.failures:
            line.append("  " + visible(beside))
        self._print(line)
        if verdict.check is CheckName.EXECUTION and verdict.passed:
            self._printed(evidence.stdout)
        if verdict.passed and evidence.total and beside:
            self._print(Text(f"    {_one_line(beside)}", "dim"))
        for failure in evidence.failures[:MAX_FAILURES]:
            self._print(Text(f"    {_one_line(failure.test)}"))
            for text, style in say_failure(failure):
                self._print(Text(f"      {_one_line(text)}", style))
        if evidence.failed > MAX_FAILURES:
            kept = len(evidence.failures)
            them = "all" if kept == evidence.failed else f"the first {kept:,}"
            more = f"{evidence.failed - MAX_FAILURES:,} more; {whole} shows {them}"
            self._print(Text(f"    … and {more}", "dim"))

    def show_preparation(self, grants: Grants) -> None:
        """Say what takes long before the first check."""
        if grants.requirements:
            self._do("packages are made ready: the first time, that takes long")

    def show_started(self, check: CheckName) -> None:
        """Show that a check has begun."""
        self._quarters = 0
        self._do(f"checking {say_check(check)}")

    def show_progress(self, check: CheckName, done: int, total: int) -> None:
        """Show how many cases were run; where there is no terminal, a line for each quarter."""
        text = f"checking {say_check(check)}: {done:,} of {total:,}"
        self._do(text)
        self._say_quarter(text, done, total, is_long=total >= MANY_CASES)

    def _printed(self, stdout: str) -> None:
        """Show how what the program printed begins: often all that shows whether it is right."""
        lines = stdout.strip("\n").split("\n") if stdout.strip() else []
        for line in lines[:MAX_PRINTED_LINES]:
            self._print(Text(f"    {_one_line(line)}", "dim"))
        if len(lines) > MAX_PRINTED_LINES:
            self._print(Text(f"    … and {len(lines) - MAX_PRINTED_LINES} more lines", "dim"))

    def say(self, text: str, style: str = "") -> None:
        """Print one line that stays."""
        self._line(text, style)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal alone, for a question."""
        live = self._live if self._live and self._live.is_started else None
        if live:
            live.stop()
        try:
            yield
        finally:
            if live:
                live.start()

    def gap(self) -> None:
        """Set code apart from progress where both are on one terminal."""
        if self.console.is_terminal and sys.stdout.isatty():
            self._print(Text(""))

    def headline(self, status: Status, text: str) -> None:
        """Print the one line that says how far the answer may be trusted."""
        style = _STATUS_STYLES[status]
        self._print(Text.assemble((status.value.upper(), f"bold {style}"), "  ", visible(text)))

    def insist(self, text: str) -> None:
        """Print one line even when quiet."""
        complain(text)

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """Show a bar of bytes; the function it gives takes bytes done and bytes in all."""
        if not self._live:
            yield self._tenths(what)
            return
        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
        )
        task = bar.add_task(what, total=None)
        self._live.update(bar)
        try:
            yield lambda done, total: bar.update(task, completed=done, total=total)
        finally:
            self._live.update(Text(""))

    def _tenths(self, what: str) -> Callable[[int, int], None]:
        """Where there is no terminal: a line for each tenth."""
        said = -1

        def show(done: int, total: int) -> None:
            nonlocal said
            tenth = 10 * done // max(1, total)
            if tenth > said:
                said = tenth
                self._line(f"{what}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB")

        return show

    def _read(self, done: int, total: int) -> None:
        """How far the model has read; where there is no terminal, a line for each quarter."""
        text = f"the model reads: {100 * done // max(1, total)} % of {total:,} tokens"
        self._do(text)
        self._say_quarter(text, done, total, is_long=total >= LONG_PROMPT)

    def _say_quarter(self, text: str, done: int, total: int, *, is_long: bool) -> None:
        quarter = 4 * done // max(1, total)
        if not self._live and is_long and quarter > self._quarters:
            self._quarters = quarter
            self._line(text, "dim")

    def _do(self, doing: str) -> None:
        self._doing = doing
        if self._live:
            self._live.update(self._region())

    def _line(self, text: str, style: str = "") -> None:
        self._print(Text(visible(text), style))

    def _print(self, line: Text) -> None:
        self.console.print(line)

    def _region(self) -> RenderableType:
        if not self._doing:
            return Text("")
        self._spinner.update(text=Text(visible(self._doing), "cyan"))
        if not self._tail:
            return self._spinner
        lines = visible(self._tail).splitlines()[-TAIL_LINES:]
        tail = [Text("  " + line, "dim", no_wrap=True, overflow="ellipsis") for line in lines]
        return Group(self._spinner, *tail)


def _whose(call: events.CallStarted | events.CallEnded) -> str:
    """The attempt that a call is for; of those beside the Programmer, who asks."""
    if not call.attempt:
        return title_of(call.role)
    attempt = f"attempt {call.attempt}"
    return attempt if call.role == "programmer" else f"{title_of(call.role)}, {attempt}"


def _one_line(text: str, most: int = 200) -> str:
    line = visible(" ".join(text.split("\n")).strip())
    return line if len(line) <= most else line[:most] + "…"
