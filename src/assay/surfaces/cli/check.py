"""`assay check`: the checks on code that exists already, with no model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.surfaces.cli import options
from assay.surfaces.cli.exits import OK, WITHOUT_EVIDENCE, told
from assay.surfaces.cli.reports import Reports

if TYPE_CHECKING:
    from assay.domain.message import FinishReason
    from assay.domain.solution import Solution


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE…", readable=False, help="The code; the last file is the one that is run."
        ),
    ] = None,
    reply: Annotated[
        str | None,
        typer.Option("--reply", metavar="FILE", help="A reply pasted from a chat; - for stdin."),
    ] = None,
    finish_reason: Annotated[
        str | None,
        typer.Option(metavar="stop|length", help="How the reply ended; length: it was cut."),
    ] = None,
    tests: options.Tests = None,
    example: options.Example = None,
    attach: options.Attach = None,
    language: options.Language = None,
    env: options.Env = None,
    python: options.Python = None,
    requirements: options.Requirements = None,
    stand_in: options.StandIn = None,
    trust_in_process: options.Trust = False,
    run_timeout: options.RunTimeout = None,
    run_memory: options.RunMemory = None,
    sandbox: options.SandboxKind = None,
    packages_warm: options.PackagesWarm = None,
    junit: options.Junit = None,
    summary: options.Summary = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Run the checks on existing code, with no model."""
    reports = Reports(junit, summary)
    with told(as_json, "check", reports):
        from assay.checks.subject import Subject
        from assay.client import Assay
        from assay.surfaces.cli import inputs, output, usertests
        from assay.surfaces.cli.display import Display
        from assay.surfaces.cli.shown import Shown
        from assay.surfaces.cli.streams import print_json

        assay = Assay(inputs.settings(sandbox=sandbox, packages_warm=packages_warm))
        solution = _solution(files or [], reply, finish_reason, language)
        subject = Subject(
            solution=solution,
            tests=usertests.read_tests(tests or ()),
            examples=inputs.read_examples(example or ()),
            attachments=inputs.read_attached(attach or ()),
            grants=inputs.read_grants(env or (), python, requirements, stand_in or ()),
            run_limits=inputs.run_limits(solution.language, run_timeout, run_memory),
        )
        with Display(quiet=quiet) as display:
            display.show_preparation(subject.grants)
            report = asyncio.run(
                assay.check(
                    subject,
                    trust_in_process=trust_in_process,
                    on_started=display.show_started,
                    on_verdict=display.show_verdict,
                    on_progress=display.show_progress,
                )
            )
        if as_json:
            print_json(output.report_json(report, solution))
        elif reply is not None:
            output.print_solution(solution)
        reports.write(Shown.of_report(report, solution))
        display.headline(report.judgement.status, report.judgement.headline)
        for advice in report.advice:
            display.say(advice, "yellow")
        raise typer.Exit(OK if report.judgement.has_required_evidence else WITHOUT_EVIDENCE)


def _solution(
    files: list[Path], reply: str | None, finish_reason: str | None, language: str | None
) -> Solution:
    """The code to check: files that exist, or what a pasted reply holds.

    Raises:
        BadInput: neither or both were given, or a file cannot be used.
        ReplyError: the reply holds no code that could be run.
    """
    from assay.errors import BadInput
    from assay.surfaces.cli import inputs

    if bool(files) == (reply is not None):
        raise BadInput("Name the files to check, or a reply with --reply, but not both.")
    if finish_reason not in (None, "stop", "length"):
        raise BadInput(f"--finish-reason is stop or length, not {finish_reason!r}.")
    if reply is None:
        return inputs.read_solution(files, language)
    from assay.domain.message import Reply
    from assay.models.replies import read_reply

    reason: FinishReason | None = None
    if finish_reason is not None:
        reason = "length" if finish_reason == "length" else "stop"
    text = inputs.read_stdin("reply") if reply == "-" else inputs.read_text(Path(reply), "reply")
    return read_reply(
        Reply(text=text, finish_reason=reason),
        language=inputs.language_name(language),
        answer="code",
    )
