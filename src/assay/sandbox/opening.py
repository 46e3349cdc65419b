"""Opening the sandbox that this machine has."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Literal

from assay.domain.task import Grants
from assay.errors import BadInput, NoSandbox
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.cgroups import find_cgroups
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Sandbox
from assay.sandbox.unprotected import UnprotectedSandbox

SandboxKind = Literal["auto", "none"]


def open_sandbox(kind: SandboxKind) -> Sandbox:
    """Open the sandbox of this machine, or with `none` something that protects nothing.

    Raises:
        NoSandbox: there is none; the message says what to do.
    """
    if kind == "none":
        return UnprotectedSandbox()
    if sys.platform != "linux":
        raise NoSandbox(
            "Assay has a sandbox on Linux only so far, and without one nothing is run. Use Linux "
            "(a virtual machine will do), or say --sandbox none to run code unprotected."
        )
    path, version = find_bubblewrap()
    return LinuxSandbox(path, version, find_cgroups())


def granted_env(grants: Grants) -> Mapping[str, str]:
    """The values of the variables that a run is granted, as they are now.

    Raises:
        BadInput: one of them is not set.
    """
    values = {}
    for name in grants.env:
        if name not in os.environ:
            raise BadInput(f"--env {name}: there is no such variable. Set it, or leave it out.")
        values[name] = os.environ[name]
    return values
