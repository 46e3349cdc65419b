"""A program that a waiting Python is given behaves as one that is started for itself."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest

from assay.domain.limits import MIB, RunLimits
from assay.domain.task import Grants
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.cgroups import find_cgroups
from assay.sandbox.languages import get_language
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Job, Run
from assay.sandbox.toolchains import find_toolchain

LIMITS = RunLimits(wall_seconds=30, cpu_seconds=20, memory_bytes=96 * MIB, processes=24)

PROGRAMS = {
    "main module": "x = 1\nimport __main__\nprint(list(vars(__main__)), __name__, __main__.x)",
    "names": "print(sorted(globals().items(), key=lambda i: i[0])[2:])",
    "where it is": "import os, sys\nprint(__file__, sys.argv, sys.path, os.getcwd())",
    "arguments": "import sys\nprint(sys.argv, getattr(sys, 'orig_argv', None), sys.flags)",
    "environment": "import os\nprint(sorted(os.environ.items()))",
    "of a child": "import subprocess\nprint(sorted(subprocess.check_output(['env']).split()))",
    "modules": "import sys\nprint(sorted(sys.modules), sorted(sys.builtin_module_names))",
    "import system": """
import sys
print(sys.path, len(sys.path_hooks), sorted(sys.path_importer_cache), sys.meta_path)
import sitecustomize
""",
    "sockets": "import socket, resource\nprint(socket.socketpair(), resource.RLIMIT_CPU)",
    "traceback": "def f():\n    1 / 0\nf()",
    "chain of tracebacks": "try:\n    1 / 0\nexcept Exception as e:\n    raise KeyError(2) from e",
    "frames": "import sys\nsys._getframe(1)",
    "stack": "import inspect, traceback\nprint(len(inspect.stack()))\ntraceback.print_stack()",
    "warning from below": "import warnings\nwarnings.warn('x', stacklevel=2)",
    "syntax error": "x = 1\nif x\n",
    "recursion": "def f(n):\n    f(n + 1)\ntry:\n    f(0)\nexcept RecursionError as e:\n"
    "    print(e)\nimport sys\nprint(sys.getrecursionlimit())",
    "depth": "d = 0\ndef f():\n    global d\n    d += 1\n    f()\ntry:\n    f()\n"
    "except RecursionError:\n    print(d)",
    "hash seed": "print(hash('a'), {'b', 'a', 'c'})",
    "status": "raise SystemExit(7)",
    "status in words": "import sys\nsys.exit('no')",
    "hard exit": "import os\nprint('x', flush=True)\nos._exit(4)",
    "exit hooks": "import atexit\natexit.register(print, 'bye')\nprint('hello')\n1 / 0",
    "threads that go on": """
import threading, time
def late():
    time.sleep(0.1)
    print("late", threading.current_thread() is threading.main_thread())
threading.Thread(target=late).start()
print(threading.current_thread() is threading.main_thread(), threading.active_count())
""",
    "signals": """
import os, signal
print([signal.getsignal(s) for s in (signal.SIGINT, signal.SIGPIPE, signal.SIGTERM)])
signal.signal(signal.SIGALRM, lambda *a: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
os.kill(os.getpid(), signal.SIGTERM)
""",
    "interrupted": "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)",
    "crash": "import os\nos.abort()",
    "multiprocessing": """
import multiprocessing
def double(x):
    return 2 * x
if __name__ == "__main__":
    for way in ("fork", "spawn"):
        with multiprocessing.get_context(way).Pool(2) as pool:
            print(pool.map(double, range(5)))
""",
    "asyncio": "import asyncio\nasync def f():\n    return 1\nprint(asyncio.run(f()))",
    "stdin": "import sys\nprint(repr(sys.stdin.read()), sys.stdin.encoding, sys.stdin.buffer.raw)",
    "input": "input()",
    "descriptors": "import os\nprint(sorted(os.listdir('/proc/self/fd')))",
    "inherited descriptors": "import subprocess\n"
    "print(subprocess.check_output(['ls', '/proc/self/fd'], close_fds=False))",
    "limits": "import resource\n"
    "print([resource.getrlimit(getattr(resource, n)) for n in sorted(dir(resource)) "
    "if n.startswith('RLIMIT')])",
    "who": "import os\nprint(os.getuid(), os.getgid(), os.getgroups(), os.umask(0), os.getpid())",
    "capabilities": "print([l for l in open('/proc/self/status') if l.startswith(('Cap', 'NoNew', "
    "'Seccomp:', 'Uid', 'NSpid', 'Sig'))])",
    "mounts": "print(sorted(l.split()[1:4] for l in open('/proc/mounts') if ' /assay ' not in l))",
    "own files": "import os\nfor n in sorted(os.listdir('.')):\n"
    "    s = os.stat(n)\n    print(n, oct(s.st_mode), s.st_uid, s.st_size)\n"
    "print(open('more/deep/data.txt').read(), os.listdir('/tmp'), os.listdir('/dev/shm'))",
    "own module": "import helper\nprint(helper.__file__, helper.__cached__, helper.VALUE)",
    "bytecode": "import sys, helper, os\nprint(sys.dont_write_bytecode, os.listdir('.'))",
    "output of both": "import sys\nprint('out')\nprint('err', file=sys.stderr)\n"
    "print(sys.stdout, sys.stdout.line_buffering, sys.stderr)",
    "much output": "print('x' * 3_000_000)",
    "memory": "b = bytearray(300_000_000)",
    "unraisable": "class A:\n    def __del__(self):\n        1 / 0\na = A()\ndel a",
    "warnings": "import warnings\nwarnings.warn('old', DeprecationWarning)\n"
    "warnings.warn('user')\nimport sys\nprint(sys.warnoptions, warnings.filters)",
    "unclosed": "open('helper.py')",
    "excepthook": "import sys\nprint(sys.excepthook is sys.__excepthook__)\n"
    "sys.excepthook = lambda *a: print('hook', a[0])\n1 / 0",
    "garbage": "import gc\nprint(gc.isenabled(), gc.get_threshold(), gc.garbage)",
    "annotations": "x: int = 1\nprint(__annotations__)",
    "coding line": "# -*- coding: latin-1 -*-\nprint(ascii('é'))",
    "pickles of the main module": "import pickle\nclass A:\n    pass\n"
    "print(type(pickle.loads(pickle.dumps(A()))))",
}


@pytest.fixture(scope="module", params=["own", "system's"])
def pythons(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A job of Assay's own Python or the system's, whose files lie elsewhere."""
    found = shutil.which("python3", path="/usr/bin:/bin") if request.param == "system's" else None
    grants = Grants(python=found)
    python = find_toolchain(get_language("python"), grants, tmp_path_factory.mktemp("cache"))
    files = {"helper.py": b"VALUE = 1\n", "more/deep/data.txt": b"data"}
    command = (python.executable, "solution.py", "one", "two words")
    return Job(command, python, files, env={"GRANTED": "value"}, limits=LIMITS)


async def both(pooled: LinuxSandbox, job: Job) -> tuple[Run, Run]:
    """The job started for itself, and given to a runner."""
    alone = await LinuxSandbox(*find_bubblewrap(), find_cgroups()).run(job)
    pooled.expect(job)
    given = await pooled.run(job)
    assert (alone.prestarted, given.prestarted) == (False, True)
    return alone, given


def visible(run: Run) -> Run:
    """A run without what is never twice the same."""
    stdout, stderr = (
        replace(stream, text=re.sub(r"0x[0-9a-f]+|[ug]id=\d+", "#", stream.text))
        for stream in (run.stdout, run.stderr)
    )
    same = replace(run, stdout=stdout, stderr=stderr, prestarted=False)
    return replace(same, seconds=0, cpu_seconds=0, peak_memory_bytes=None)


@pytest.mark.parametrize("name", PROGRAMS)
async def test_it_behaves_the_same(pooled: LinuxSandbox, pythons: Job, name: str) -> None:
    code = PROGRAMS[name].encode("latin-1" if "latin-1" in PROGRAMS[name] else "utf-8")
    job = replace(pythons, files={**pythons.files, "solution.py": code})
    alone, given = await both(pooled, job)
    assert visible(given) == visible(alone)


async def test_what_it_reads_writes_and_leaves(pooled: LinuxSandbox, pythons: Job) -> None:
    code = b"""
import os, sys
print(sys.stdin.read())
os.write(int(os.environ["ASSAY_CHANNEL"]), b"through the channel")
open("left.txt", "w").write("left")
"""
    job = replace(
        pythons,
        files={"solution.py": code},
        stdin=b"given",
        channel=True,
        collect=("left.txt", "none.txt"),
    )
    alone, given = await both(pooled, job)
    assert visible(given) == visible(alone)
    assert (given.stdout.text, given.channel) == ("given\n", b"through the channel")
    assert given.files == {"left.txt": b"left"}


async def test_a_driver_of_ours_runs_the_same(pooled: LinuxSandbox, pythons: Job) -> None:
    driver = b"import helper_of_driver, sys\nprint(__file__, sys.path, sys.argv)"
    job = replace(
        pythons,
        command=(pythons.command[0], "/assay/driver.py", "argument"),
        tools={"driver.py": driver, "helper_of_driver.py": b""},
    )
    alone, given = await both(pooled, job)
    assert visible(given) == visible(alone)


async def test_processor_time_counts_from_the_job(pooled: LinuxSandbox, pythons: Job) -> None:
    # Importing all of this takes far longer than the program.
    modules = ("asyncio", "http.server", "multiprocessing.pool", "tkinter", "unittest.mock")
    job = replace(pythons, files={"solution.py": b"print(1)"}, modules=modules)
    pooled.expect(job)
    run = await pooled.run(job)
    importing = f"import {', '.join(modules[:3])}, unittest.mock".encode()
    alone = await pooled.run(replace(job, files={"solution.py": importing}, modules=()))
    assert run.prestarted
    assert run.cpu_seconds < alone.cpu_seconds


async def test_modules_are_there_already(pooled: LinuxSandbox, pythons: Job) -> None:
    code = b"import sys\nprint('json' in sys.modules, 'no_such_module' in sys.modules)"
    job = replace(pythons, files={"solution.py": code}, modules=("no_such_module", "json"))
    alone, given = await both(pooled, job)
    assert (alone.stdout.text, given.stdout.text) == ("False False\n", "True False\n")


async def test_drivers_are_there_already(pooled: LinuxSandbox, pythons: Job) -> None:
    driver = b"import sys\nthere = 'ours.part' in sys.modules\nimport ours.part\n"
    driver += b"print(there, ours.part.__file__, sys.path)"
    job = replace(
        pythons,
        command=(pythons.command[0], "/assay/driver.py"),
        tools={"driver.py": driver, "ours/__init__.py": b"", "ours/part.py": b"VALUE = 1"},
        modules=("ours.part",),
    )
    alone, given = await both(pooled, job)
    assert alone.stdout.text.startswith("False /assay/ours/part.py ['/assay', ")
    assert given.stdout.text.removeprefix("True") == alone.stdout.text.removeprefix("False")
    changed = replace(job, tools={**job.tools, "ours/part.py": b"print('changed')"})
    pooled.expect(changed)
    assert "changed" in (await pooled.run(changed)).stdout.text
