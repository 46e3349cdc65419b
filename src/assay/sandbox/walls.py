"""The walls of the sandbox one by one, so that tests can take one away and see it missed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Walls:
    """All are up. Only tests take one down, to show that an abuse is held by that very wall."""

    own_network: bool = True
    own_processes: bool = True
    """A process namespace: others can be neither seen nor signalled."""
    own_ipc: bool = True
    own_environment: bool = True
    minimal_files: bool = True
    """Only what a run needs is bound; without it homes and /var too."""
    read_only: bool = True
    sized_folders: bool = True
    no_capabilities: bool = True
    no_namespaces: bool = True
    system_calls: bool = True
    """The seccomp filter."""
    own_terminal: bool = True
    process_limit: bool = True
    memory_limit: bool = True
    cpu_limit: bool = True
    file_limits: bool = True
    """Size of a file, open files, number of files."""
    dies_with_parent: bool = True


ALL_WALLS = Walls()
