"""Inside the sandbox: lets a Python that has started wait for its program before it opens it.

Python imports this file as `sitecustomize` while it starts. The last thing that it does before it
opens its program is to ask each path hook whether that is an archive: ours answers no, but only
when a job has come, with the program's file and all else. So the program is started by Python
itself, as ever, and nothing of this file is left: no frame, no module, no path.

In its environment: ASSAY_RUNNER, the number of a socket; ASSAY_PROGRAM, the program's path;
ASSAY_MODULES, what to import while there is time. From the socket comes one message with
descriptors: the first holds the job (a header, then the files' contents), the others are for it.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_HERE = os.path.dirname(os.path.abspath(__file__))
_ADDED = {name for name in ("_socket", "gc", "resource") if name not in sys.modules}

import _socket  # noqa: E402 - known before the import whether it was there
import gc  # noqa: E402
import marshal  # noqa: E402
import resource  # noqa: E402


class _Waiting:
    """The path hook."""

    def __init__(self) -> None:
        self.socket = _socket.socket(fileno=int(os.environ["ASSAY_RUNNER"]))
        self.program = os.path.abspath(os.environ["ASSAY_PROGRAM"])
        self.modules = os.environ["ASSAY_MODULES"].split()

    def __call__(self, path: str) -> "NoReturn":
        if os.path.abspath(path) == self.program:
            sys.path_hooks.remove(self)
            if self.modules:
                sys.path.insert(0, _HERE)
                for name in self.modules:
                    _import(name)
                sys.path.remove(_HERE)
                # What was imported is no garbage: at the end, too, it need not be looked through.
                gc.freeze()
            self.socket.send(b"r")
            _take(_receive(self.socket))
            _vanish(self.modules)
        raise ImportError(path)


def _import(name: str) -> None:
    # contextlib would have to be imported, and the program find it so.
    try:  # noqa: SIM105
        __import__(name)
    except BaseException:  # noqa: BLE001, S110 - the program finds out by itself
        pass


def _receive(socket: _socket.socket) -> "list[int]":
    """The descriptors of the job that comes; ends the process if none does."""
    size = 16 * 4
    message, about, _, _ = socket.recvmsg(1, _socket.CMSG_SPACE(size))
    if not message:
        os._exit(0)
    socket.send(b"t")
    socket.close()
    data = about[0][2]
    return [int.from_bytes(data[i : i + 4], sys.byteorder) for i in range(0, len(data), 4)]


def _take(descriptors: "list[int]") -> None:
    """Become what the job wants: its files, environment, arguments and limits."""
    source = descriptors[0]
    job = marshal.loads(os.read(source, int(os.read(source, 16))))  # noqa: S302 - of Assay's own
    mask = os.umask(0o022)
    for path, length in job["files"]:
        _write(path, source, length)
    os.umask(mask)
    os.close(source)
    given = dict(zip(job["descriptors"], descriptors[1:]))
    if "stdin" in given:
        os.dup2(given["stdin"], 0)
        os.close(given.pop("stdin"))
    env = dict(job["env"])
    env.update((name, str(number)) for name, number in given.items())
    for name in set(os.environ) - set(env) - {"PWD"}:
        del os.environ[name]
    os.environ.update(env)
    sys.argv[1:] = job["arguments"]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[2:] = job["arguments"]
    if job["cpu"]:
        # What it took to start and to import was not the program's; a light start counts as ever.
        used = resource.getrusage(resource.RUSAGE_SELF)
        more = int(used.ru_utime + used.ru_stime + 0.8)
        resource.setrlimit(resource.RLIMIT_CPU, tuple(limit + more for limit in job["cpu"]))


def _write(path: str, source: int, length: int) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    while length:
        length -= os.sendfile(target, source, None, length)
    os.close(target)


def _vanish(modules: "list[str]") -> None:
    if sys.modules.get("sitecustomize") is _SELF:
        del sys.modules["sitecustomize"]
    if not modules:
        for name in _ADDED:
            sys.modules.pop(name, None)
    sys.path_importer_cache.pop(_HERE, None)


_SELF = sys.modules["sitecustomize"]
sys.path.remove(_HERE)
os.unlink(__file__)
sys.path_hooks.append(_Waiting())
del sys.modules["sitecustomize"]
try:
    import sitecustomize  # type: ignore[import-not-found]  # noqa: F401 - the interpreter's own, which ours was found before
except ImportError:
    sys.modules["sitecustomize"] = _SELF
