"""Why the other side cannot be asked any more.

LinkEnded
├── LinkBroken       what came is nothing that our drivers send
├── PeerEnded        its process has ended
├── DeadlinePassed   it took too long
└── TooManyFiles     one side wrote more than the other can be given

They are no `Exception`, so that no test takes one for an error of the solution. Once one was
raised, every further request raises it again.
"""

from __future__ import annotations


class LinkEnded(BaseException):
    """The other side cannot be asked any more."""


class LinkBroken(LinkEnded):
    """The solution wrote to the link itself."""


class PeerEnded(LinkEnded):
    """The other side's process has ended."""


class DeadlinePassed(LinkEnded):
    """The other side took longer than it is given."""


class TooManyFiles(LinkEnded):
    """The sides' folders cannot be kept alike any more."""


class ImportFailed(Exception):
    """The solution could not be imported.

    Attributes:
        kind: Name of the error's class.
        message: What the error says.
        missing: The module for whose lack the import failed; empty for any other error.
    """

    def __init__(self, kind: str, message: str, missing: str) -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind = kind
        self.message = message
        self.missing = missing
