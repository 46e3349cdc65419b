"""Opening what the settings name: the sandbox, and what sessions run on."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing
from typing import TYPE_CHECKING

from assay.sandbox.opening import open_sandbox
from assay.sandbox.protocol import Sandbox
from assay.settings import Settings

if TYPE_CHECKING:
    from assay.flows.resources import Resources
    from assay.models.model import Model


def open_warm_sandbox(settings: Settings, *, refills: bool) -> Sandbox:
    """The sandbox with its pool; see `Sandbox.open_pool`.

    Raises:
        NoSandbox: there is none on this machine.
    """
    sandbox = open_sandbox(settings.sandbox)
    sandbox.open_pool(settings.packages_warm, refills=refills)
    return sandbox


@asynccontextmanager
async def open_resources(
    settings: Settings, sandbox: Sandbox, secret_names: Sequence[str], *, script_from: int = 0
) -> AsyncIterator[Resources]:
    """A store and a model, open until the block's end, beside a sandbox that is open already.

    Args:
        settings: What to open.
        sandbox: Where everything runs.
        secret_names: Variables whose values never come onto a tape.
        script_from: How many lines of a scripted model's script have been given before.

    Raises:
        AssayError: The database or the model cannot be used.
    """
    from assay.agents.prompting import read_templates
    from assay.flows.resources import Resources
    from assay.store.store import Store

    with closing(Store.open(settings.database)) as store:
        templates = read_templates(settings.prompts) if settings.prompts else {}
        async with aclosing(await _open_model(settings, secret_names, script_from)) as model:
            yield Resources(
                store=store,
                model=model,
                sandbox=sandbox,
                database=settings.database,
                receipts=settings.receipts,
                cache_folder=settings.cache_folder,
                agents=settings.agents,
                templates=templates,
                base_url=settings.base_url,
                documentation_tokens=settings.documentation_tokens,
                allow_private_addresses=settings.allow_private_addresses,
            )


async def _open_model(settings: Settings, secret_names: Sequence[str], script_from: int) -> Model:
    """The models that are asked, behind one; or a tape."""
    from assay.models.catalog import open_model
    from assay.models.routed import RoutedModel
    from assay.models.service import Patience
    from assay.models.tape.opening import open_taped
    from assay.models.tape.secrets import Secrets

    patience = Patience(silence_seconds=settings.call_silence, tries=settings.call_tries)

    async def open_one(name: str) -> Model:
        return await open_model(
            name,
            base_url=settings.base_url,
            cache_folder=settings.cache_folder,
            allow_calls=settings.allow_model_calls,
            patience=patience,
            script_from=script_from,
        )

    async def open_all() -> Model:
        names = {role: one.model for role, one in settings.agents.items() if one.model}
        async with AsyncExitStack() as opened:
            models: dict[str, Model] = {}
            for name in dict.fromkeys((settings.model, *names.values())):
                models[name] = await open_one(name)
                opened.push_async_callback(models[name].aclose)
            opened.pop_all()  # they are closed by who uses them
        default = models[settings.model]
        if not names:
            return default
        return RoutedModel(default, {role: models[name] for role, name in names.items()})

    return await open_taped(
        open_all,
        record=settings.record,
        replay=settings.replay,
        secrets=Secrets.of(os.environ, secret_names),
    )
