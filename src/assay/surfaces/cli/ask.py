"""`assay ask`: a question in, code that has run out."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.domain.choices import AnswerKind, Require
from assay.errors import AssayError
from assay.surfaces.cli import options
from assay.surfaces.cli.exits import status_of, told

if TYPE_CHECKING:
    from assay.client import Result
    from assay.surfaces.cli.display import Display


def ask(
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What you want; - reads it from stdin.")
    ],
    language: options.Language = None,
    docs: Annotated[
        list[str] | None,
        typer.Option("--docs", metavar="URL|FOLDER|FILE", help="Documentation. Repeatable."),
    ] = None,
    attach: options.Attach = None,
    tests: options.Tests = None,
    hide_tests: options.HideTests = False,
    example: options.Example = None,
    flow: Annotated[
        str | None,
        typer.Option(metavar="single|correct", help="One try, or corrected ones (correct)."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="PROVIDER:NAME", help="What is asked (embedded, 1.5B).")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Of an OpenAI-compatible service.")
    ] = None,
    attempts: Annotated[
        int | None, typer.Option(min=1, max=50, metavar="N", help="Solutions at most (3).")
    ] = None,
    reflect: Annotated[
        bool, typer.Option("--reflect", help="Ask why, after each failure.")
    ] = False,
    answer: Annotated[AnswerKind, typer.Option(help="The kind of answer that is wanted.")] = "auto",
    max_tokens: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Tokens of all calls.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, metavar="DOLLARS", help="Of all calls.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, metavar="SECONDS", help="Of the whole session.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="For a repeatable answer.")] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", readable=False, help="Write the model's calls to this tape."),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(metavar="FILE", readable=False, help="Play this tape; no model is asked."),
    ] = None,
    require: Annotated[
        Require | None, typer.Option(help="Evidence that decides the exit status.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FOLDER", readable=False, help="Write the files here."
        ),
    ] = None,
    env: options.Env = None,
    python: options.Python = None,
    requirements: options.Requirements = None,
    stand_in: options.StandIn = None,
    trust_in_process: options.Trust = False,
    run_timeout: options.RunTimeout = None,
    run_memory: options.RunMemory = None,
    sandbox: options.SandboxKind = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Ask for code; get code that has run, and a receipt."""
    with told(as_json, "ask"):
        from assay.client import Assay
        from assay.domain.task import Task
        from assay.surfaces.cli import inputs
        from assay.surfaces.cli import output as out
        from assay.surfaces.cli.display import Display
        from assay.surfaces.cli.streams import print_json

        settings = inputs.settings(
            model=model,
            base_url=base_url,
            flow=flow,
            attempts=attempts,
            max_tokens=max_tokens,
            max_cost=max_cost,
            timeout=timeout,
            sandbox=sandbox,
            record=record,
            replay=replay,
        )
        if replay is not None and model is not None:
            inputs.check_tape(replay, model)
        task = Task(
            instructions=inputs.read_question(question),
            language=inputs.language_name(language),
            documentation=tuple(docs or ()),
            attachments=inputs.read_attached(attach or ()),
            tests=inputs.read_tests(tests),
            examples=inputs.read_examples(example or ()),
            answer=answer,
            require=require,
            grants=inputs.read_grants(env or (), python, requirements, stand_in or ()),
            run_limits=inputs.run_limits(language, run_timeout, run_memory),
            seed=seed,
            reflect=reflect,
            hide_tests=hide_tests,
            trust_in_process=trust_in_process,
        )
        if output:
            out.check_folder(output)
        assay = Assay(settings)
        with Display(quiet=quiet) as display:
            inputs.pull_when_missing(settings, display)
            result = asyncio.run(assay.run(task, display.show))
        written: tuple[str, ...] = ()
        if output and result.answer.solution:
            try:
                written = out.write_files(result.answer.solution, output)
            except AssayError as error:
                result = _with_error(result, error)
        try:
            if as_json:
                print_json(out.answer_json(result))
            elif result.answer.solution:
                display.gap()
                out.print_solution(result.answer.solution)
                display.gap()
        finally:
            _say_how_it_ended(result, display)
            for one in written:
                display.say(f"wrote {one}")
        raise typer.Exit(status_of(result.answer))


def _with_error(result: Result, error: AssayError) -> Result:
    """The answer stays, and says what went wrong with its files."""
    from assay.domain.answer import ErrorInfo

    described = ErrorInfo(kind=error.kind, message=error.message)
    return replace(result, answer=result.answer.model_copy(update={"error": described}))


def _say_how_it_ended(result: Result, display: Display) -> None:
    """The headline, what to do, and where the receipt is; an error even with --quiet."""
    answer = result.answer
    if answer.error is not None and answer.solution is not None:
        display.insist(f"assay: {answer.error.message}")
    if answer.solution is None:
        display.insist(f"assay: {answer.headline}")
    else:
        display.headline(answer.status, answer.headline)
    for advice in answer.advice:
        display.say(advice, "yellow")
    if answer.solution is not None and answer.solution.set_apart:
        display.say("Calls and asserts that the model added were kept apart and not run.", "dim")
    display.say(f"session {result.session}", "dim")
    if result.receipt:
        display.say(f"receipt {result.receipt}", "dim")
