"""Where the tests find the solution: in their own process, or at the other end of the link."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Mapping

from .reports import describe


class NotImported(Exception):
    """The solution's import raised something."""

    def __init__(self, message: str, missing: str) -> None:
        super().__init__(message)
        self.message = message
        self.missing = missing
        """The module for whose lack it did; empty for any other error."""


class Solution:
    """The solution in the tests' own process."""

    handles_compared = 0
    """How many comparisons its own objects decided, where that can be known."""

    asked = 0
    """How many requests it was sent, where it is elsewhere."""

    def __init__(self, plan: dict[str, Any]) -> None:
        """Take `module`, and `wants_names` where tests use its names without importing them."""
        self.plan = plan
        for name in [name for name in sys.modules if name.startswith("assay_")]:
            del sys.modules[name]  # where the solution would find our reporter

    def load(self, usual: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Import it, and give its names where tests use them without importing them.

        Args:
            usual: What names mean that tests use without binding them.

        Raises:
            NotImported: it cannot be.
        """
        if not self.plan["wants_names"]:
            return None
        name = self.plan["module"]
        try:
            solution = importlib.import_module(name)
        except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
            raise NotImported(**describe(error)) from None
        # A file add.py often holds a function add, which is what is meant then.
        top = name.split(".")[0]
        return {top: sys.modules[top], **vars(solution)}

    def finish(self) -> None:
        """Nothing is left to do."""


class LinkedSolution(Solution):
    """The solution in a process of its own."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        from assay_link.remote import connect

        # Without a sandbox each side has a folder by another name, and nothing can be kept alike.
        with_files = os.getcwd() == plan["files_in"]
        self._remote = connect(int(os.environ.pop("ASSAY_LINK")), with_files)

    @property
    def handles_compared(self) -> int:  # type: ignore[override]
        """As the link has counted."""
        return int(self._remote.handles_compared)

    @property
    def asked(self) -> int:  # type: ignore[override]
        """As the link has counted."""
        return int(self._remote.asked)

    def load(self, usual: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Have it imported there; see `Solution.load`."""
        from assay_link.errors import ImportFailed

        try:
            self._remote.load(self.plan["module"])
        except ImportFailed as error:
            raise NotImported(str(error), error.missing) from None
        sys.meta_path.insert(0, self._remote.finder(self.plan["modules"]))
        if not self.plan["wants_names"]:
            return None
        # Who tests a function `pow`, and nothing else, means the solution's.
        means_usual = any(name not in usual for name in self.plan["unbound"])
        names: Mapping[str, Any] = self._remote.names(
            self.plan["module"], usual if means_usual else {}
        )
        return names

    def finish(self) -> None:
        """Look whether it wrote to the link itself; raises what says so."""
        self._remote.finish()
