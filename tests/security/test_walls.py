"""Each abuse is held, and is seen to succeed when just the walls that hold it are taken away.

A program prints ESCAPED when it got what it wanted. Programs bound themselves: they take a little
more than the limit, so that the control does no harm either.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import pytest

from assay.domain.limits import MIB, RunLimits
from assay.sandbox.protocol import Ending, Run

Attack = Callable[..., Awaitable[Run]]


LIMITS = RunLimits(
    wall_seconds=20,
    memory_bytes=128 * MIB,
    processes=24,
    files=500,
    open_files=64,
    file_bytes=4 * MIB,
)


class Abuse(NamedTuple):
    """A hostile program."""

    code: str
    walls: tuple[str, ...]
    """Those that hold it."""
    ending: Ending = Ending.EXITED
    """How it ends when it is held."""


SYSCALL = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def call(x86_64, aarch64, *arguments):
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    ctypes.set_errno(0)
    result = libc.syscall(number, *arguments)
    return result, ctypes.get_errno()
"""

ABUSES = {
    "fork bomb": Abuse(
        """
import os, time
for _ in range(60):
    if os.fork() == 0:
        time.sleep(30)
print("ESCAPED")
""",
        ("process_limit",),
    ),
    "thread bomb": Abuse(
        """
import threading, time
for _ in range(32):
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
print("ESCAPED")
""",
        ("process_limit",),
    ),
    "memory of one process": Abuse(
        "import time\nb = bytearray(200_000_000)\ntime.sleep(1)\nprint('ESCAPED')",
        ("memory_limit",),
        Ending.OUT_OF_MEMORY,
    ),
    "memory of a family": Abuse(
        """
import os, time
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        b = bytearray(60_000_000)
        time.sleep(1)
        os._exit(0)
    children.append(child)
assert all(os.waitpid(child, 0)[1] == 0 for child in children)
print("ESCAPED")
""",
        ("memory_limit",),
        Ending.OUT_OF_MEMORY,
    ),
    "shared memory": Abuse(
        """
import mmap, time
m = mmap.mmap(-1, 200_000_000)
for i in range(0, len(m), 4096):
    m[i] = 1
time.sleep(1)
print("ESCAPED")
""",
        ("memory_limit",),
        Ending.OUT_OF_MEMORY,
    ),
    "sparse file": Abuse(
        "open('x', 'wb').truncate(1 << 33)\nprint('ESCAPED')",
        ("file_limits",),
    ),
    "many files": Abuse(
        "for i in range(600):\n    open(str(i), 'w')\nprint('ESCAPED' if i == 599 else '')",
        ("file_limits",),
        Ending.TOO_MANY_FILES,
    ),
    "many open files": Abuse(
        "f = [open('/dev/null') for _ in range(100)]\nprint('ESCAPED')",
        ("file_limits",),
    ),
    "processor time": Abuse(
        """
import signal, time
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while time.process_time() < 2.5:
    pass
print("ESCAPED")
""",
        ("cpu_limit",),
        Ending.TIMED_OUT,
    ),
    "processor time of a family": Abuse(
        """
import os, time
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        while time.process_time() < 0.9:
            pass
        os._exit(0)
    children.append(child)
assert all(os.waitpid(child, 0)[1] == 0 for child in children)
print("ESCAPED")
""",
        ("cpu_limit",),
        Ending.TIMED_OUT,
    ),
    "filling the working folder": Abuse(
        "for i in range(4):\n    open(str(i), 'wb').write(b'x' * 2_000_000)\nprint('ESCAPED')",
        ("sized_folders",),
    ),
    "filling /tmp": Abuse(
        "for i in range(4):\n    open(f'/tmp/{i}', 'wb').write(b'x' * 2_000_000)\nprint('ESCAPED')",
        ("sized_folders",),
    ),
    "filling /dev/shm": Abuse(
        "for i in range(4):\n"
        "    open(f'/dev/shm/{i}', 'wb').write(b'x' * 2_000_000)\n"
        "print('ESCAPED')",
        ("sized_folders",),
    ),
    "writing to /": Abuse("open('/x', 'w')\nprint('ESCAPED')", ("read_only",)),
    "writing to /dev": Abuse("open('/dev/x', 'w')\nprint('ESCAPED')", ("read_only",)),
    "writing to /etc": Abuse("open('/etc/x', 'w')\nprint('ESCAPED')", ("read_only",)),
    "writing to /proc": Abuse(
        "open('/proc/self/oom_score_adj', 'w').write('999')\nprint('ESCAPED')", ("read_only",)
    ),
    "rewriting a test": Abuse(
        "open('/assay/test.py', 'w').write('pass')\nprint('ESCAPED')", ("read_only",)
    ),
    "replacing a test": Abuse(
        "import os\nopen('/assay/new.py', 'w')\nprint('ESCAPED')", ("read_only",)
    ),
    "the user's keys": Abuse(
        "import os\nprint('ESCAPED' if 'PLANTED_SECRET' in os.environ else 'nothing')",
        ("own_environment",),
    ),
    "the environment of pid 1": Abuse(
        "print('ESCAPED' if 'PLANTED_SECRET' in open('/proc/1/environ').read() else 'nothing')",
        ("own_environment",),
    ),
    "a debugger": Abuse(
        SYSCALL + "print('ESCAPED' if call(101, 117, 0, 0, 0, 0)[0] == 0 else 'held')",
        ("system_calls",),
    ),
    "a user namespace": Abuse(
        SYSCALL + "print('ESCAPED' if call(272, 97, 0x10000000)[0] == 0 else 'held')",
        ("system_calls", "no_namespaces"),
    ),
    "a user namespace by clone": Abuse(
        SYSCALL
        + """
result, _ = call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)
if result == 0:
    os._exit(0)
print("ESCAPED" if result > 0 else "held")
""",
        ("system_calls", "no_namespaces"),
    ),
    "mounting": Abuse(
        SYSCALL + "call(272, 97, 0x10020000)\n"
        "r = call(165, 40, b't', b'/tmp', b'tmpfs', 0, None)\n"
        "print('ESCAPED' if r[0] == 0 else r)",
        ("system_calls", "no_namespaces", "no_capabilities"),
    ),
    "capabilities": Abuse(
        "lines = open('/proc/self/status').read().split('\\n')\n"
        "caps = [int(l.split()[1], 16) for l in lines if l.startswith('Cap')]\n"
        "print('ESCAPED' if any(caps) else 'none')",
        ("no_capabilities", "no_namespaces"),
    ),
    "keyrings": Abuse(
        SYSCALL + "print('ESCAPED' if call(250, 219, 0, -3, 1)[0] > 0 else 'held')",
        ("system_calls",),
    ),
    "io_uring": Abuse(
        SYSCALL + "e = call(425, 425, 0, 0)[1]\n"
        "print('held' if e in (errno.ENOSYS, errno.EPERM) else 'ESCAPED')",
        ("system_calls",),
    ),
    "hidden memory files": Abuse(
        SYSCALL + "print('ESCAPED' if call(319, 279, b'x', 0)[0] > 0 else 'held')",
        ("system_calls",),
    ),
    "clone3, whose flags cannot be seen": Abuse(
        SYSCALL + "print('held' if call(435, 435, 0, 0)[1] == errno.ENOSYS else 'ESCAPED')",
        ("system_calls",),
    ),
    "typing into the terminal": Abuse(
        SYSCALL + "r = libc.ioctl(0, 0x5412, b'x')\n"
        "print('held' if ctypes.get_errno() == errno.EPERM else 'ESCAPED')",
        ("system_calls",),
    ),
    "the session of the user's terminal": Abuse(
        "import os\nprint('ESCAPED' if os.getsid(0) == 0 else 'own')", ("own_terminal",)
    ),
    "rare sockets": Abuse(
        "import errno, socket\n"
        "try:\n"
        "    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
        "except OSError as error:\n"
        "    print('held' if error.errno == errno.EAFNOSUPPORT else 'ESCAPED')\n",
        ("system_calls",),
    ),
}


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_SECRET", "sk-planted")


def limits_for(name: str) -> RunLimits:
    # On a busy machine a second of processor time may take long.
    times = {"cpu_seconds": 1, "wall_seconds": 90} if "processor" in name else {}
    return LIMITS.model_copy(update=times)


@pytest.mark.parametrize("name", ABUSES)
async def test_abuse_is_held(either_attack: Attack, name: str) -> None:
    abuse = ABUSES[name]
    run = await either_attack(abuse.code, limits=limits_for(name))
    assert "ESCAPED" not in run.stdout.text or run.ending is abuse.ending is Ending.TOO_MANY_FILES
    assert run.ending is abuse.ending, run


@pytest.mark.parametrize("name", ABUSES)
async def test_abuse_succeeds_without_its_walls(attack: Attack, name: str) -> None:
    abuse = ABUSES[name]
    run = await attack(abuse.code, without=abuse.walls, limits=limits_for(name))
    assert "ESCAPED" in run.stdout.text, run
    assert run.ending is Ending.EXITED
