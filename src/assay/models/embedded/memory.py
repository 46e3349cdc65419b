"""How long a context the machine's memory allows."""

from __future__ import annotations

from pathlib import Path

FULL_CONTEXT_TOKENS = 32_768
_CONTEXTS = (FULL_CONTEXT_TOKENS, 16_384, 8_192, 4_096)
_OVERHEAD_BYTES = 300 * 1024 * 1024
_CGROUP_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
_CGROUP_USES = ("memory.current", "memory/memory.usage_in_bytes")


def context_that_fits(weights_bytes: int, available_bytes: int | None) -> int:
    """The longest context, in tokens, for weights of a size.

    A full context of the models that Assay knows takes about as much memory as their weights.

    Args:
        weights_bytes: Size of the GGUF file.
        available_bytes: Memory that is free; None where that is unknown.
    """
    if available_bytes is None:
        return FULL_CONTEXT_TOKENS
    room = available_bytes - weights_bytes - _OVERHEAD_BYTES
    for tokens in _CONTEXTS:
        if weights_bytes * tokens / FULL_CONTEXT_TOKENS <= room:
            return tokens
    return _CONTEXTS[-1]


def available_memory() -> int | None:
    """Bytes that a new process can have, within this process's cgroup; None where unknown."""
    known = [_machine_available(), _cgroup_available(Path("/sys/fs/cgroup"))]
    return min((number for number in known if number is not None), default=None)


def _machine_available() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return None


def _cgroup_available(root: Path) -> int | None:
    for limit_name, use_name in zip(_CGROUP_LIMITS, _CGROUP_USES, strict=True):
        try:
            limit = int((root / limit_name).read_text("ascii"))
            return max(0, limit - int((root / use_name).read_text("ascii")))
        except (OSError, ValueError):
            continue
    return None
