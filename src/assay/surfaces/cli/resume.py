"""`assay resume`: go on where a session was cut off."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING

import typer

from assay.surfaces.cli import options
from assay.surfaces.cli.exits import told
from assay.surfaces.cli.reports import Reports

if TYPE_CHECKING:
    from assay.client import Assay
    from assay.surfaces.cli.display import Display


def resume(
    session: options.SessionId,
    base_url: options.BaseUrl = None,
    output: options.Output = None,
    sandbox: options.SandboxKind = None,
    junit: options.Junit = None,
    summary: options.Summary = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Go on with a session that was stopped, killed, or failed for want of its model.

    Nothing that was paid for is asked again, and no check that has ended runs again. Of a session
    that has ended, the answer is shown.
    """
    reports = Reports(junit, summary)
    with told(as_json, "ask", reports):
        from assay.client import Assay
        from assay.surfaces.cli import answers, inputs
        from assay.surfaces.cli import output as out
        from assay.surfaces.cli.display import Display
        from assay.surfaces.cli.shown import Shown

        if output:
            out.check_folder(output)
        settings = inputs.settings(base_url=base_url, sandbox=sandbox)
        assay = Assay(settings)
        with Display(quiet=quiet) as display:
            known = _show_earlier(assay, session, display)
            result = asyncio.run(assay.resume(known, display.show))
        status = answers.deliver(result, display, output, as_json=as_json)
        reports.write(Shown.of_result(result))
        raise typer.Exit(status)


def _show_earlier(assay: Assay, prefix: str, display: Display) -> str:
    """Show what happened before, fetch the model's weights where they are gone; give the id."""
    from assay.flows.outcome import how_it_ended
    from assay.surfaces.cli import inputs

    with closing(assay.open_store()) as store:
        session = store.find(prefix)
        store.require_idle(session)
        for event in store.events(session):
            if event.happening.kind not in {"text", "prompt_progress", "session_stopped"}:
                display.show_happening(event.happening)
        model, is_over = store.record(session).model, how_it_ended(store, session) is not None
    if not is_over:
        settings = assay.settings.model_copy(update={"model": model, "replay": None})
        inputs.pull_when_missing(settings, display)
    return session
