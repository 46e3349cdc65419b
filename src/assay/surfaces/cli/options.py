"""Options that several commands share.

Typer looks whether files can be read, unless told not to: Assay's own words say more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Language = Annotated[
    str | None, typer.Option("--language", "-l", metavar="NAME", help="Language of the code.")
]
Attach = Annotated[
    list[Path] | None,
    typer.Option(
        "--attach",
        metavar="FILE",
        readable=False,
        help="A file that lies beside the program when it runs. Repeatable.",
    ),
]
Tests = Annotated[
    list[Path] | None,
    typer.Option(
        "--tests",
        metavar="FILE|FOLDER",
        readable=False,
        help="Your tests: asserts, pytest, node:test, cases in TOML, or a folder of .in and .out. "
        "Repeatable.",
    ),
]
HideTests = Annotated[
    bool, typer.Option("--hide-tests", help="Show the model nothing of the tests.")
]
Example = Annotated[
    list[str] | None,
    typer.Option(
        "--example", metavar="TEXT", help="What has to be true: 'f(1, 2) == 3'. Repeatable."
    ),
]
SessionId = Annotated[str, typer.Argument(metavar="ID", help="Of a session, or its beginning.")]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="Of an OpenAI-compatible service."),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FOLDER", readable=False, help="Write the files here."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
SandboxKind = Annotated[
    str | None, typer.Option("--sandbox", metavar="auto|none", help="none: run with no protection.")
]
Env = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="NAME", help="Give runs this environment variable. Repeatable."),
]
Python = Annotated[
    str | None,
    typer.Option("--python", metavar="PATH", help="Run Python with this interpreter."),
]
Requirements = Annotated[
    Path | None,
    typer.Option(
        "--requirements",
        metavar="FILE",
        readable=False,
        help="Give runs these packages (wheels only).",
    ),
]
StandIn = Annotated[
    list[str] | None,
    typer.Option("--stand-in", metavar="openai", help="Play this model API inside the sandbox."),
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust-in-process", help="Let tests that ran in the code's own process verify it."
    ),
]
RunTimeout = Annotated[
    float | None, typer.Option("--run-timeout", metavar="SECONDS", help="What one run may take.")
]
RunMemory = Annotated[
    int | None, typer.Option("--run-memory", metavar="MIB", help="What one run may take.")
]
Junit = Annotated[
    Path | None,
    typer.Option(
        "--junit", metavar="FILE", readable=False, help="Write the checks there as JUnit XML."
    ),
]
Summary = Annotated[
    Path | None,
    typer.Option(
        "--summary", metavar="FILE", readable=False, help="Add a page in Markdown to this file."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Approve of the check-in beforehand.")]
Public = Annotated[bool, typer.Option("--public", help="Make a gist that everybody may see.")]
Repository = Annotated[
    str | None,
    typer.Option("--repository", metavar="OWNER/NAME", help="What a pull request is for."),
]
AllowUnverified = Annotated[
    bool,
    typer.Option("--allow-unverified", help="Check in what lacks evidence; it is told with it."),
]
Prompts = Annotated[
    Path | None,
    typer.Option(
        "--prompts",
        metavar="FOLDER",
        readable=False,
        help="Prompts of your own: files such as tester.system.jinja.",
    ),
]
PackagesWarm = Annotated[
    str | None,
    typer.Option(
        "--packages-warm",
        metavar="NAMES",
        help="Modules to import before programs that name them come: 'numpy,pandas'.",
    ),
]
