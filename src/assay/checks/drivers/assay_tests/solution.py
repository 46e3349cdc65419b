"""Where the tests find the solution: in their own process, or at the other end of the link."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Mapping, Protocol

from .reports import describe


class NotImported(Exception):
    """The solution's import raised something."""

    def __init__(self, message: str, missing: str) -> None:
        super().__init__(message)
        self.message = message
        self.missing = missing
        """The module for whose lack it did; empty for any other error."""


class Solution(Protocol):
    """What is tested, and what is known of its part in the tests."""

    @property
    def handles_compared(self) -> int:
        """How many comparisons its own objects decided, where that can be known."""
        ...

    @property
    def asked(self) -> int:
        """How many requests it was sent, where it is elsewhere."""
        ...

    @property
    def told(self) -> int:
        """How often it gave the tests more than functions and classes, where it is elsewhere."""
        ...

    def load(self, usual: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Import it, and give its names where tests use them without importing them.

        Args:
            usual: What names mean that tests use without binding them.

        Raises:
            NotImported: it cannot be.
        """
        ...

    def expect_names(self, namespace: Mapping[str, Any]) -> None:
        """Note where the tests may import all of its names, in place of what is there already."""
        ...

    def finish(self) -> None:
        """Raise an error where it wrote to the link itself."""
        ...


class LocalSolution:
    """The solution in the tests' own process, where nothing of its part can be known."""

    handles_compared = 0
    asked = 0
    told = 0

    def __init__(self, plan: dict[str, Any]) -> None:
        """Take `module`, and `wants_names` where tests use its names without importing them."""
        self._plan = plan
        for name in [name for name in sys.modules if name.startswith("assay_")]:
            del sys.modules[name]  # where the solution would find our reporter

    def load(self, usual: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Import it; see `Solution.load`."""
        if not self._plan["wants_names"]:
            return None
        name = self._plan["module"]
        try:
            solution = importlib.import_module(name)
        except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
            raise NotImported(**describe(error)) from None
        # A file add.py often holds a function add, which is what is meant then.
        top = name.split(".")[0]
        return {top: sys.modules[top], **vars(solution)}

    def expect_names(self, namespace: Mapping[str, Any]) -> None:
        """Nothing is noted."""

    def finish(self) -> None:
        """Nothing is left to do."""


class LinkedSolution:
    """The solution in a process of its own."""

    def __init__(self, plan: dict[str, Any]) -> None:
        """Take the link; `plan` as for `LocalSolution`, with `modules` and `unbound`."""
        self._plan = plan
        from assay_link.remote import connect

        # Without a sandbox each side has a folder by another name, and nothing can be kept alike.
        with_files = os.getcwd() == plan["files_in"]
        self._remote = connect(int(os.environ.pop("ASSAY_LINK")), with_files)

    @property
    def handles_compared(self) -> int:
        """As the link has counted."""
        return int(self._remote.handles_compared)

    @property
    def asked(self) -> int:
        """As the link has counted."""
        return int(self._remote.asked)

    @property
    def told(self) -> int:
        """As the link has counted."""
        return int(self._remote.told)

    def load(self, usual: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Have it imported there; see `Solution.load`."""
        from assay_link.errors import ImportFailed

        try:
            self._remote.load(self._plan["module"])
        except ImportFailed as error:
            raise NotImported(str(error), error.missing) from None
        sys.meta_path.insert(0, self._remote.finder(self._plan["modules"]))
        if not self._plan["wants_names"]:
            return None
        # Who tests a function `pow`, and nothing else, means the solution's.
        means_usual = any(name not in usual for name in self._plan["unbound"])
        names: Mapping[str, Any] = self._remote.names(
            self._plan["module"], usual if means_usual else {}
        )
        return names

    def expect_names(self, namespace: Mapping[str, Any]) -> None:
        """Have it counted where the solution's names take the place of others there."""
        self._remote.expect_names(namespace)

    def finish(self) -> None:
        """Look whether it wrote to the link itself; raises what says so."""
        self._remote.finish()
