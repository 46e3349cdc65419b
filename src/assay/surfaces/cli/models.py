"""`assay models`: the embedded models, and fetching their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.surfaces.cli import options
from assay.surfaces.cli.exits import told

if TYPE_CHECKING:
    from assay.settings import Settings
    from assay.surfaces.cli.display import Display


def list_models(as_json: options.Json = False) -> None:
    """List the embedded models."""
    with told(as_json):
        from assay.models.weights import weights_status
        from assay.surfaces.cli import inputs, output
        from assay.surfaces.cli.streams import print_json

        found = weights_status(inputs.settings().cache_folder)
        if as_json:
            listed = [
                {
                    "model": f"embedded:{one.weights.name}",
                    "state": one.state.value,
                    "bytes": one.weights.size,
                    "path": str(one.path),
                    "title": one.weights.title,
                    "licence": one.weights.licence,
                    "source": one.weights.source,
                }
                for one in found
            ]
            print_json({"models": listed, "error": None})
            return
        rows = [
            (
                f"embedded:{one.weights.name}",
                one.state.value,
                f"{one.weights.size / 1e6:,.0f} MB",
                one.weights.licence,
                one.weights.source,
            )
            for one in found
        ]
        output.table(rows, ("model", "weights", "size", "licence", "source"))


def pull(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of an embedded model.")
    ] = "qwen2.5-coder-1.5b",
    quiet: options.Quiet = False,
) -> None:
    """Fetch an embedded model's weights and check their hash."""
    with told():
        from assay.surfaces.cli import inputs
        from assay.surfaces.cli.display import Display

        with Display(quiet=quiet) as display:
            fetch(name.removeprefix("embedded:"), inputs.settings(), display)


def fetch(name: str, settings: Settings, display: Display) -> None:
    """Fetch the weights of `name`, with a progress bar.

    Raises:
        UnknownName: there is no such model.
        WeightsError: they cannot be had; says what to do.
    """
    from assay.models.weights import pull as pull_weights

    with display.progress(f"weights of {name}") as show:
        path = pull_weights(name, settings.cache_folder, show)
    display.say(f"the weights of {name} are here and whole: {path}")


def is_missing(name: str, settings: Settings) -> bool:
    """Whether `name` is an embedded model whose weights have to be fetched first."""
    from assay.models.weights import State, weights_status

    states = {one.weights.name: one.state for one in weights_status(settings.cache_folder)}
    return states.get(name) in (State.MISSING, State.PARTIAL)
