"""`assay doctor`: what this machine has, and what to do about each lack."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import typer

from assay.surfaces.cli import options
from assay.surfaces.cli.exits import NO_SANDBOX, OK, told

if TYPE_CHECKING:
    from assay.sandbox.diagnosis import Finding
    from assay.settings import Settings


def doctor(as_json: options.Json = False) -> None:
    """Look at this machine, and say what to do about each lack.

    Sandbox, languages, models, keys, folders.
    """
    with told(as_json):
        from assay.sandbox.diagnosis import diagnose_sandbox
        from assay.surfaces.cli import inputs
        from assay.surfaces.cli.streams import print_json

        settings = inputs.settings()
        sections = {
            "versions": list(_versions()),
            "sandbox and languages": diagnose_sandbox(settings.cache_folder),
            "models": [*_weights(settings), *_providers()],
            "folders": list(_folders(settings)),
        }
        if as_json:
            shown = {title: [one.model_dump() for one in rows] for title, rows in sections.items()}
            print_json({**shown, "error": None})
        else:
            _print(sections)
        runs = [found.ok for found in sections["sandbox and languages"] if found.name == "sandbox"]
        has_sandbox = bool(runs) and all(runs)
        raise typer.Exit(OK if has_sandbox else NO_SANDBOX)


def _print(sections: dict[str, list[Finding]]) -> None:
    from rich.text import Text

    from assay.surfaces.cli.console import StreamConsole
    from assay.visible import visible

    console = StreamConsole(sys.stdout)
    for title, rows in sections.items():
        console.print(Text(title, "bold"))
        for found in rows:
            mark, style = ("+", "green") if found.ok else ("-", "yellow")
            line = Text.assemble(("  " + mark, style), f" {found.name}: {visible(found.detail)}")
            console.print(line)
            if found.advice:
                console.print(Text(f"      {visible(found.advice)}", "yellow"))


def _versions() -> Iterator[Finding]:
    from assay import __version__
    from assay.sandbox.diagnosis import Finding

    yield Finding(name="assay", ok=True, detail=__version__)
    yield Finding(name="python", ok=True, detail=f"{platform.python_version()} ({sys.executable})")
    yield Finding(name="system", ok=True, detail=platform.platform())
    for package in ("langgraph", "langchain", "xllamacpp"):
        yield Finding(name=package, ok=True, detail=version(package))


def _weights(settings: Settings) -> Iterator[Finding]:
    from assay.models.weights import State, weights_status
    from assay.sandbox.diagnosis import Finding

    for one in weights_status(settings.cache_folder):
        there = one.state is State.READY
        advice = "" if there else f"Run: assay models pull {one.weights.name}"
        yield Finding(
            name=f"embedded:{one.weights.name}", ok=there, detail=one.state.value, advice=advice
        )


def _providers() -> Iterator[Finding]:
    from assay.models.providers import PROVIDERS
    from assay.sandbox.diagnosis import Finding

    for provider in PROVIDERS.values():
        name, keys = provider.name, provider.key_variables
        try:
            detail = f"{provider.package} {version(provider.package)}"
        except PackageNotFoundError:
            detail = f"{provider.package} is not installed"
            advice = f"Run: pip install 'assay[{provider.extra}]'"
            yield Finding(name=name, ok=False, detail=detail, advice=advice)
            continue
        known = next((key for key in keys if os.environ.get(key)), None)
        if keys and known is None:
            advice = f"Set {' or '.join(keys)} to use it."
            yield Finding(name=name, ok=False, detail=f"{detail}, no key", advice=advice)
        else:
            detail += f", {known} is set" if known else ""
            yield Finding(name=name, ok=True, detail=detail)


def _folders(settings: Settings) -> Iterator[Finding]:
    from assay.sandbox.diagnosis import Finding
    from assay.surfaces.cli.output import can_be_written

    for name, folder in (("data", settings.data_folder), ("cache", settings.cache_folder)):
        writable = can_be_written(folder)
        advice = f"Set ASSAY_{name.upper()}_FOLDER to a folder that can be written."
        yield Finding(name=name, ok=writable, detail=str(folder), advice="" if writable else advice)
