"""Run a job as an ordinary user: started by tests that run as root.

Imports what it needs as root (the checkout may lie in root's home), gives up root for good, and
runs the pickled job on stdin in a sandbox; the pickled run comes out on stdout.
"""

from __future__ import annotations

import asyncio
import encodings.ascii  # noqa: F401 - found late by name otherwise
import os
import pickle
import sys

from assay.sandbox.cgroups import find_cgroups
from assay.sandbox.guardian import guarded_environment
from assay.sandbox.languages import language_names
from assay.sandbox.linux import LinuxSandbox

USER = 54321


def main() -> None:
    bubblewrap, version = sys.argv[1:]
    job = pickle.load(sys.stdin.buffer)
    # Read while we still can: the checkout may be out of an ordinary user's reach.
    language_names()
    guarded_environment()
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
    sandbox = LinuxSandbox(bubblewrap, version, find_cgroups())
    run = asyncio.run(sandbox.run(job))
    sys.stdout.buffer.write(pickle.dumps((sandbox.description, run)))


if __name__ == "__main__":
    main()
