"""Programs that try to stay behind, to use the machine up, or to deceive.

In each, N stands for a random number from 1 to 1,000.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from bench.soak.program import Program

CASES = Path(__file__).parents[2] / "tests" / "cases" / "programs.jsonl"

PROGRAMS = {
    "fork bomb": """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
    "memory hog": """
kept = []
while True:
    kept.append(bytearray(N * 10_000))
""",
    "memory hog, shared and in files": """
import mmap, os
while True:
    descriptor = os.memfd_create("N")
    os.ftruncate(descriptor, N * 100_000)
    mmap.mmap(descriptor, 0).write(b"x" * (N * 100_000))
""",
    "daemons": """
import os, signal, time
for number in range(N % 20 + 1):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.closerange(0, 256)
            time.sleep(600)
        os._exit(0)
""",
    "output flood": """
import os, threading
def flood(descriptor):
    while True:
        os.write(descriptor, b"x" * (N * 100))
threading.Thread(target=flood, args=(2,)).start()
flood(1)
""",
    "descriptor leak": """
import os, socket
held = []
try:
    while True:
        held.append(os.pipe())
        held.append(socket.socketpair())
except OSError:
    pass
os.execv("/proc/self/exe", ["python", "-c", "import time; time.sleep(N / 500)"])
""",
    "threads": """
import threading, time
for number in range(N):
    threading.Thread(target=time.sleep, args=(number / 100,)).start()
""",
    "signals": """
import os, signal, time
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
os.kill(0, [1, 2, 3, 15, 17, 18, 28][N % 7])
try:
    os.kill(-1, [2, 9, 15, 19][N % 4])
finally:
    os.kill(1, 19)
    os.kill(os.getpid(), [6, 9, 11, 19][N % 4])
time.sleep(600)
""",
    "full folders": """
import os
for folder in ("/tmp", "/dev/shm", "."):
    try:
        for number in range(N * 10):
            with open(f"{folder}/{number}", "wb") as file:
                file.write(b"x" * (N * 100))
    except OSError:
        pass
    os.makedirs(f"{folder}/" + "deep/" * (N // 4 + 1), exist_ok=True)
""",
    "odd files": """
import os, socket
os.mkfifo("pipe")
os.symlink("loop", "loop")
os.symlink("/proc/self/root/etc/passwd", "leads out")
socket.socket(socket.AF_UNIX).bind("socket")
with open("sparse", "wb") as file:
    file.truncate(N * 10_000)
os.chmod(".", 0)
""",
    "pokes at the walls": """
import ctypes, os, socket, subprocess
libc = ctypes.CDLL(None, use_errno=True)
for flags in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x7E020000):
    libc.unshare(flags)
libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)
libc.ptrace(16, 1, 0, 0)
libc.setns(0, 0)
libc.keyctl(0, -3, 1)
libc.shmget(N, N * 4096, 0o1777)
for path in ("/proc/sys/kernel/core_pattern", "/proc/1/mem", "/proc/1/oom_score_adj"):
    try:
        open(path, "r+b").write(b"0")
    except OSError:
        pass
for family in range(50):
    try:
        socket.socket(family, 3).sendto(b"x", ("127.0.0.1", N))
    except (OSError, TypeError, ValueError):
        pass
subprocess.run(["unshare", "-Ur", "true"], check=False, stderr=subprocess.DEVNULL)
""",
    "crash": """
import ctypes, os, signal, sys
def fall(number):
    return fall(number + 1) + 1
sys.setrecursionlimit(10**9)
[
    lambda: ctypes.string_at(N),
    os.abort,
    lambda: os._exit(N % 256),
    lambda: fall(0),
    lambda: os.kill(os.getpid(), signal.SIGKILL),
    lambda: (_ for _ in ()).throw(BaseException("x" * N)),
    lambda: os.execv("/proc/self/exe", ["python", "-c", "raise SystemExit(N)"]),
][N % 7]()
""",
    "never ends": """
import atexit, threading, time
if N % 3 == 0:
    atexit.register(time.sleep, 600)
elif N % 3 == 1:
    threading.Thread(target=time.sleep, args=(600,)).start()
else:
    while True:
        pass
""",
}

JUDGED = {
    "floods the judge": """
import os, stat, sys
def add(a, b):
    for descriptor in range(256):
        try:
            if stat.S_IFMT(os.fstat(descriptor).st_mode) in (stat.S_IFSOCK, stat.S_IFIFO):
                os.set_blocking(descriptor, False)
                os.write(descriptor, b"\\xff{[\\x00 3\\n" * (N * 1000))
        except OSError:
            pass
    return a - b
""",
    "huge results": """
def add(a, b):
    return [
        lambda: "x" * (N * 100_000),
        lambda: [[a]] * (N * 10_000),
        lambda: {number: b for number in range(N * 100)},
        lambda: 10 ** (N * 100),
    ][N % 4]()
""",
    "nested results": """
def add(a, b):
    result = []
    for _ in range(N * 100):
        result = [result]
    return result
""",
    "leaves in the call": """
import os, signal, sys, threading, time
def add(a, b):
    threading.Thread(target=time.sleep, args=(600,)).start()
    [
        lambda: os._exit(0),
        lambda: sys.exit(0),
        lambda: os.kill(os.getpid(), signal.SIGSTOP),
        lambda: os.closerange(0, 256),
        lambda: os.fork() or time.sleep(600),
        lambda: os.execv("/proc/self/exe", ["python", "-c", "print('1 passed')"]),
    ][N % 6]()
""",
    "equals everything": """
class Anything:
    def __eq__(self, other):
        return True
    __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = __bool__ = __eq__
    __hash__ = object.__hash__
def add(a, b):
    return Anything()
""",
    "leaks objects": """
class Part:
    pass
def add(a, b):
    for _ in range(N * 100):
        yield Part()
""",
}
"""Solutions of which `add(1, 2) == 3` must never be shown."""

FALSE_EXAMPLE = "add(1, 2) == 3"


def with_number(code: str, number: int) -> str:
    """The code with a number in place of N."""
    return re.sub(r"\bN\b", str(number), code)


def cases() -> Iterator[Program]:
    """The cases of the tests that need nothing around them."""
    for line in CASES.read_text("utf-8").splitlines():
        case = json.loads(line)
        given, expect = case["given"], case["expect"]
        if given["language"] == "python" and not (
            {"planted_home", "listener", "env"} & given.keys()
        ):
            yield Program(
                kind="cases of the tests",
                code=given["code"],
                tests=given.get("tests", ""),
                expected="not verified"
                if expect.get("tests", "passed") != "passed"
                else "anything",
            )
