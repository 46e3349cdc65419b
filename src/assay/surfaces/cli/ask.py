"""`assay ask`: a question in, code that has run out."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from assay.domain.choices import AnswerKind, Require
from assay.surfaces.cli import options
from assay.surfaces.cli.exits import told
from assay.surfaces.cli.reports import Reports


def ask(
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What you want; - reads it from stdin.")
    ],
    follows: Annotated[
        str | None,
        typer.Option("--continue", metavar="ID", help="Go on from this session's answer."),
    ] = None,
    language: options.Language = None,
    docs: Annotated[
        list[str] | None,
        typer.Option("--docs", metavar="URL|FOLDER|FILE", help="Documentation. Repeatable."),
    ] = None,
    attach: options.Attach = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--in",
            metavar="FOLDER",
            readable=False,
            help="Work on this folder: its files are known, the difference is applied at the end.",
        ),
    ] = None,
    test_command: Annotated[
        str | None,
        typer.Option("--test-command", metavar="TEXT", help="Tests the folder: 'pytest -q'."),
    ] = None,
    tests: options.Tests = None,
    hide_tests: options.HideTests = False,
    example: options.Example = None,
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="single|correct|team",
            help="One try, corrected ones (correct), or six agents.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="PROVIDER:NAME", help="What is asked (embedded, 1.5B).")
    ] = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
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
    output: options.Output = None,
    check_in: Annotated[
        str | None,
        typer.Option(
            "--check-in",
            metavar="TARGET",
            help="folder:PATH, branch[:NAME], gist, pull-request[:NAME].",
        ),
    ] = None,
    public: options.Public = False,
    repository: options.Repository = None,
    allow_unverified: options.AllowUnverified = False,
    yes: options.Yes = False,
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
    """Ask for code; get code that has run, and a receipt."""
    reports = Reports(junit, summary)
    with told(as_json, "ask", reports):
        from assay.client import Assay
        from assay.domain.task import Task
        from assay.surfaces.cli import answers, inputs, usertests
        from assay.surfaces.cli import output as out
        from assay.surfaces.cli.checkin import check_in_answer, read_target
        from assay.surfaces.cli.display import Display
        from assay.surfaces.cli.shown import Shown

        target = read_target(check_in, public=public, repository=repository) if check_in else None
        if target is None and folder is not None:
            target = read_target(f"folder:{folder}", public=False, repository=None)
        if follows is not None:
            begun = inputs.read_begun(follows)
            follows, flow = begun.id, flow or begun.flow
            if model is None and replay is None:
                model, base_url = begun.model, base_url or begun.base_url
        settings = inputs.settings(
            model=model,
            base_url=base_url,
            flow=flow,
            prompts=prompts,
            attempts=attempts,
            max_tokens=max_tokens,
            max_cost=max_cost,
            timeout=timeout,
            sandbox=sandbox,
            packages_warm=packages_warm,
            record=record,
            replay=replay,
        )
        if replay is not None and model is not None:
            inputs.check_tape(replay, model)
        task = Task(
            instructions=inputs.read_question(question),
            language=inputs.language_name(language),
            documentation=tuple(docs or ()),
            **inputs.read_folder(folder, test_command, inputs.read_attached(attach or ())),
            tests=usertests.read_tests(tests or ()),
            examples=inputs.read_examples(example or ()),
            answer=answer,
            require=require,
            grants=inputs.read_grants(env or (), python, requirements, stand_in or ()),
            run_limits=inputs.run_limits(language, run_timeout, run_memory),
            seed=seed,
            reflect=reflect,
            hide_tests=hide_tests,
            trust_in_process=trust_in_process,
            check_in=target is not None,
            **inputs.given_limits(settings, attempts, max_tokens, max_cost, timeout),
        )
        if output:
            out.check_folder(output)
        assay = Assay(settings)
        if follows is not None:
            task = assay.follow_up(follows, task)
        with Display(quiet=quiet) as display:
            inputs.pull_when_missing(settings, display)
            result = asyncio.run(assay.run(task, display.show))
        reports.write(Shown.of_result(result))
        check_in_it = None
        if target is not None:
            check_in_it = partial(
                check_in_answer,
                assay,
                result.session,
                target,
                display,
                allow_unverified=allow_unverified,
                yes=yes,
            )
        status = answers.deliver(result, display, output, as_json=as_json, check_in=check_in_it)
        raise typer.Exit(status)
