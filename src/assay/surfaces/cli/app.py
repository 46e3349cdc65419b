"""The commands: each one's options and work are in the module of its name.

Modules import what is heavy inside their functions, so that `--help` needs none of it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from assay.surfaces.cli import (
    agents,
    ask,
    check,
    checkin,
    docs,
    doctor,
    models,
    resume,
    sessions,
    verify,
)

app = typer.Typer(
    name="assay",
    help="A coding assistant that runs what it writes, and shows what it ran.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ask")(ask.ask)
app.command("resume")(resume.resume)
app.command("check")(check.check)
app.command("verify")(verify.verify)
app.command("check-in")(checkin.check_in)
app.command("sessions")(sessions.list_sessions)
app.command("show")(sessions.show)
app.command("delete")(sessions.delete)
app.command("docs")(docs.docs)
app.command("agents")(agents.agents)
app.command("doctor")(doctor.doctor)

models_app = typer.Typer(
    rich_markup_mode=None, help="Embedded models: what there is, and fetching one."
)
models_app.command("list")(models.list_models)
models_app.command("pull")(models.pull)
app.add_typer(models_app, name="models")


def _version(wanted: bool) -> None:
    if wanted:
        from assay import __version__

        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which it is.")
    ] = False,
) -> None:
    pass
