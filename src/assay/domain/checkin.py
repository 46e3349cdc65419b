"""Where code is checked in, and what came of that."""

from __future__ import annotations

from assay.domain.choices import TargetKind
from assay.domain.data import Data


class Target(Data):
    """Where an answer goes."""

    kind: TargetKind
    name: str | None = None
    """A folder's path, or a branch's name; None: `assay/SESSION`."""
    repository: str | None = None
    """Of a pull request, as `owner/name`; None: that of the current folder's remote."""
    public: bool = False
    """Whether everybody may see a gist."""

    def __str__(self) -> str:
        """The target as a person names it."""
        return f"{self.kind}:{self.name}" if self.name else self.kind


class CheckedIn(Data):
    """What has been checked in."""

    target: str
    where: str
    """A path, a branch with its commit, or an address."""
    made: bool = True
    """False where it was there already."""
