"""`assay docs`: what documentation holds, and how it would be fitted into a prompt."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from assay.surfaces.cli import options
from assay.surfaces.cli.exits import told


def docs(
    sources: Annotated[
        list[str], typer.Argument(metavar="URL|FOLDER|FILE", help="Several if you like.")
    ],
    question: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Choose the best parts for this question where not all fits."
        ),
    ] = "",
    budget: Annotated[
        int | None, typer.Option(min=1, metavar="TOKENS", help="What documentation may take.")
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what documentation holds, and how it would be fitted."""
    with told(as_json):
        from assay.context.documentation import read_documentation
        from assay.context.fitting import fit
        from assay.domain.event import DocumentationReading
        from assay.domain.limits import EMBEDDED_DOCUMENTATION_TOKENS
        from assay.surfaces.cli import inputs, output
        from assay.surfaces.cli.display import Display
        from assay.surfaces.cli.streams import print_json

        settings = inputs.settings(documentation_tokens=budget)
        room = settings.documentation_tokens or EMBEDDED_DOCUMENTATION_TOKENS
        with Display(quiet=quiet) as display:
            read = asyncio.run(
                read_documentation(
                    sources,
                    cache_folder=settings.cache_folder,
                    allow_private=settings.allow_private_addresses,
                    on_page=lambda source, pages: display.show_happening(
                        DocumentationReading(source=source, pages=pages)
                    ),
                )
            )
            for skipped in read.skipped:
                display.say(f"{skipped.source} is left out: {skipped.reason}", "yellow")
        fitted = fit(read.pages, room, question)
        if as_json:
            pages = [page.model_dump(exclude={"text"}) for page in read.pages]
            print_json(
                {
                    "pages": pages,
                    "tokens": read.tokens,
                    "budget": room,
                    "used_tokens": fitted.tokens,
                    "left_out": list(fitted.left_out),
                    "skipped": [[one.source, one.reason] for one in read.skipped],
                    "error": None,
                }
            )
            return
        rows = [(f"{page.tokens:,}", page.title, page.source) for page in read.pages]
        output.table(rows, ("tokens", "title", "source"))
        display.say(f"{len(read.pages)} pages, {read.tokens:,} tokens")
        if fitted.left_out:
            count = len(fitted.left_out)
            display.say(f"a budget of {room:,} tokens holds {fitted.tokens:,}; {count} left out:")
            for title in fitted.left_out:
                display.say(f"  {title}", "dim")
        else:
            display.say(f"all of it fits into a budget of {room:,} tokens")
