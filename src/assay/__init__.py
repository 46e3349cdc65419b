"""A coding assistant that runs what it writes, and shows what it ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Assay", "Report", "Result", "Settings", "Subject", "Task", "Verification"]

if TYPE_CHECKING:
    __version__: str
    from assay.checks.subject import Subject
    from assay.client import Assay
    from assay.domain.results import Report, Result, Verification
    from assay.domain.task import Task
    from assay.settings import Settings


def __getattr__(name: str) -> Any:
    """Import public names when they are first used, so that the command starts quickly."""
    from importlib import import_module
    from importlib.metadata import version

    if name == "__version__":
        return version("assay")
    homes = {
        "Assay": "assay.client",
        "Settings": "assay.settings",
        "Subject": "assay.checks.subject",
        "Task": "assay.domain.task",
    }
    if name not in __all__:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(import_module(homes.get(name, "assay.domain.results")), name)
