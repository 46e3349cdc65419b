"""`assay verify`: a receipt's checks again, with no model, believing no verdict in it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from assay.surfaces.cli import options
from assay.surfaces.cli.exits import OK, WITHOUT_EVIDENCE, told
from assay.surfaces.cli.reports import Reports


def verify(
    receipt: Annotated[Path, typer.Argument(metavar="RECEIPT", readable=False, help="Its file.")],
    with_grants: Annotated[
        bool,
        typer.Option("--with-grants", help="Give runs again what the receipt says they had."),
    ] = False,
    sandbox: options.SandboxKind = None,
    junit: options.Junit = None,
    summary: options.Summary = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Run a receipt's checks again, with no model.

    No verdict that is written in it is believed.
    """
    reports = Reports(junit, summary)
    with told(as_json, "verify", reports):
        from assay.client import Assay
        from assay.surfaces.cli import inputs, output
        from assay.surfaces.cli.display import Display
        from assay.surfaces.cli.shown import Shown
        from assay.surfaces.cli.streams import print_json

        assay = Assay(inputs.settings(sandbox=sandbox))
        with Display(quiet=quiet) as display:
            verification = asyncio.run(
                assay.verify(
                    receipt,
                    with_grants=with_grants,
                    on_started=display.show_started,
                    on_verdict=display.show_verdict,
                    on_progress=display.show_progress,
                )
            )
        if as_json:
            print_json(output.verification_json(verification))
        reports.write(Shown.of_verification(verification, receipt))
        for name in verification.changed:
            display.insist(f"assay: {name} was changed after the receipt was written.")
        report = verification.report
        if report is not None:
            display.headline(report.judgement.status, report.judgement.headline)
            if verification.holds:
                display.say("The receipt holds: every check ended as it says.", "green")
            else:
                display.insist(
                    f"assay: the receipt does not hold; it says: {verification.receipt.headline}"
                )
        raise typer.Exit(OK if verification.holds else WITHOUT_EVIDENCE)
