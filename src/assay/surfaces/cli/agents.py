"""`assay agents`: the roles, and what each is asked with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.surfaces.cli import options
from assay.surfaces.cli.exits import told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.domain.roles import Role
    from assay.settings import Settings


def agents(
    show: Annotated[
        str | None, typer.Option("--show", metavar="ROLE", help="Print this role's prompts.")
    ] = None,
    prompts: options.Prompts = None,
    as_json: options.Json = False,
) -> None:
    """List the agents: their models, temperatures and prompts."""
    with told(as_json):
        from assay.agents.prompting import read_templates
        from assay.domain.roles import ROLES
        from assay.surfaces.cli import inputs, output
        from assay.surfaces.cli.streams import print_json, write_out

        settings = inputs.settings(prompts=prompts)
        own = read_templates(settings.prompts) if settings.prompts else {}
        if show is not None:
            write_out(_templates(_role_named(show), own))
            return
        rows = [_row(role, settings, own) for role in ROLES]
        if as_json:
            print_json({"agents": rows, "error": None})
            return
        names = ("role", "model", "temperature", "prompts", "does")
        output.table([[str(row[name]) for name in names] for row in rows], names)


def _row(role: Role, settings: Settings, own: Mapping[str, str]) -> dict[str, object]:
    from assay.domain.roles import AgentSettings

    kept = settings.agents.get(role.name, AgentSettings())
    files = [name for name in own if name.startswith(f"{role.name}.")]
    return {
        "role": role.name,
        "title": role.title,
        "model": (kept.model or settings.model) if kept.asked else "not asked",
        "temperature": "usual" if kept.temperature is None else kept.temperature,
        "prompts": ", ".join(files) or "usual",
        "does": role.does,
    }


def _role_named(name: str) -> Role:
    from assay.domain.roles import ROLES
    from assay.errors import UnknownName

    wanted = name.lower().replace("-", "_")
    for role in ROLES:
        if role.name == wanted:
            return role
    known = ", ".join(role.name for role in ROLES)
    raise UnknownName(f"There is no role {name!r}; there are {known}.")


def _templates(role: Role, own: Mapping[str, str]) -> str:
    """Both templates with their names, those of the person's own where there are any."""
    from assay.agents.prompting import PARTS, template_of

    shown = []
    for part in PARTS:
        name = f"{role.name}.{part}.jinja"
        text = own.get(name) or template_of(role.name, part)
        shown.append(f"{{# {name} #}}\n{text.rstrip()}\n")
    return "\n".join(shown)
