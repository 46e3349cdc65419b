"""`assay check-in`: an answer is put where code lives, once somebody has approved of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from assay.domain.choices import TargetKind
from assay.errors import BadInput, CheckInRefused
from assay.surfaces.cli import options
from assay.surfaces.cli.exits import told

if TYPE_CHECKING:
    from assay.checkin.run import Proposal
    from assay.client import Assay
    from assay.domain.checkin import CheckedIn, Target
    from assay.surfaces.cli.display import Display

MOST_LINES = 200
"""Of a difference that are shown."""


def check_in(
    session: options.SessionId,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="TARGET", help="folder:PATH, branch[:NAME], gist, pull-request[:NAME]."
        ),
    ],
    public: options.Public = False,
    repository: options.Repository = None,
    allow_unverified: options.AllowUnverified = False,
    yes: options.Yes = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Put an answer where code lives: a folder, a branch, a gist, a pull request."""
    with told(as_json):
        from assay.client import Assay
        from assay.surfaces.cli import inputs
        from assay.surfaces.cli.display import Display
        from assay.surfaces.cli.streams import print_json

        target = read_target(to, public=public, repository=repository)
        assay = Assay(inputs.settings())
        with Display(quiet=quiet) as display:
            done = check_in_answer(
                assay, session, target, display, allow_unverified=allow_unverified, yes=yes
            )
        if as_json:
            print_json({"checked_in": done.model_dump(mode="json"), "error": None})


def check_in_answer(
    assay: Assay,
    session: str,
    target: Target,
    display: Display,
    *,
    allow_unverified: bool,
    yes: bool,
) -> CheckedIn:
    """Ask whether it is wanted, do it, and say where it is.

    Raises:
        AssayError: it cannot be done, or was not approved of.
    """
    done = assay.check_in(
        session,
        target,
        allow_unverified=allow_unverified,
        approve=lambda proposal: _approve(proposal, display, yes=yes),
    )
    display.insist(f"{'checked in' if done.made else 'already checked in'}: {done.where}")
    return done


def read_target(text: str, *, public: bool, repository: str | None) -> Target:
    """A target as people write it.

    Raises:
        BadInput: it is none.
    """
    from assay.domain.checkin import Target

    kind, _, name = text.partition(":")
    kinds = get_args(TargetKind)
    if kind not in kinds or (kind == "gist" and name) or (kind == "folder" and not name):
        raise BadInput(
            f"{text!r} is nowhere to check in to. Say folder:PATH, branch, branch:NAME, gist, "
            "pull-request or pull-request:NAME."
        )
    found: TargetKind = next(one for one in kinds if one == kind)
    return Target(kind=found, name=name or None, public=public, repository=repository)


def _approve(proposal: Proposal, display: Display, *, yes: bool) -> bool:
    """Show what would be done, and ask; a pipeline says --yes.

    Raises:
        CheckInRefused: there is nobody to ask.
    """
    change = proposal.change
    display.say(f"to be checked in to {proposal.place}: {change.title}", "bold")
    display.say(change.headline)
    if proposal.differences:
        for one in proposal.differences:
            lines = one.difference.splitlines()
            display.say(f"  {one.kind}: {one.path}")
            for line in lines[:MOST_LINES]:
                display.say(f"    {line}", _style(line))
            if len(lines) > MOST_LINES:
                display.say(f"    … and {len(lines) - MOST_LINES} more lines", "dim")
    else:
        for path, content in change.files.items():
            display.say(f"  {path} ({len(content):,} bytes)")
    for notice in proposal.notices:
        display.say(notice, "yellow")
    if yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CheckInRefused(
            "Nobody is here to approve of it. Say --yes where no terminal is, as in a pipeline."
        )
    with display.paused():
        return typer.confirm("Check it in?", err=True)


def _style(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return "dim"
    return "green" if line.startswith("+") else "red" if line.startswith("-") else ""
