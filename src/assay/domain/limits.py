"""Limits: of a session (what may be spent) and of a run (what a program may use)."""

from __future__ import annotations

from pydantic import Field

from assay.domain.data import Data

MIB = 1024 * 1024

EMBEDDED_ANSWER_TOKENS = 2048
"""A small model that goes on longer than this is repeating itself."""

EMBEDDED_DOCUMENTATION_TOKENS = 4000
"""Documentation in an embedded model's prompt: two cores read 50 to 160 tokens a second."""


class Limits(Data):
    """What a session may spend. None means unlimited."""

    attempts: int = Field(default=3, ge=1, le=50)
    tokens: int | None = Field(default=None, ge=1)
    """Input and output tokens of all calls together."""
    cost: float | None = Field(default=None, ge=0)
    """US dollars, where the model's price is known."""
    calls: int = Field(default=100, ge=1)
    seconds: float | None = Field(default=None, gt=0)
    """Wall time of the whole session."""


class RunLimits(Data):
    """What one program may use: of its whole tree, but for `open_files` and `file_bytes`."""

    # The upper bounds are what kernels take, and what nobody means.
    wall_seconds: float = Field(default=10, gt=0, le=1_000_000)
    cpu_seconds: float = Field(default=15, gt=0, le=10_000_000)
    memory_bytes: int = Field(default=512 * MIB, ge=16 * MIB, le=1 << 50)
    processes: int = Field(default=64, ge=1, le=4_000_000)
    """Processes and threads."""
    files: int = Field(default=10_000, ge=1, le=1_000_000_000)
    """Files and folders that it may create."""
    open_files: int = Field(default=256, ge=16, le=1_000_000)
    file_bytes: int = Field(default=64 * MIB, ge=1, le=1 << 50)
    """Size of one file, and of each writable folder as a whole."""
    output_bytes: int = Field(default=1_000_000, ge=1000, le=1 << 30)
    """How much of stdout, and of stderr, is kept: head and tail. The rest is drained."""

    def exceed(self, others: RunLimits) -> bool:
        """Whether any of these allows more than that of `others`."""
        return any(getattr(self, name) > limit for name, limit in others)
