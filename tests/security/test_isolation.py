"""What is outside a run stays outside: network, files, processes, descriptors."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import uuid
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from assay.sandbox.protocol import CHANNEL_LIMIT, Ending, Run

Attack = Callable[..., Awaitable[Run]]


async def shows_wall(attack: Attack, code: str, *walls: str) -> None:
    """The program prints ESCAPED only without the walls."""
    held = await attack(code)
    assert "ESCAPED" not in held.stdout.text
    assert held.ending is Ending.EXITED
    control = await attack(code, without=walls)
    assert "ESCAPED" in control.stdout.text, control.stderr.text


@pytest.fixture
def decoy() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the host's that a run must neither see nor end."""
    with subprocess.Popen(["sleep", "120"]) as process:
        yield process
        process.kill()


async def test_no_connection_to_the_host(either_attack: Attack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = (
            "import socket\n"
            f"socket.create_connection(('127.0.0.1', {port}), timeout=2)\nprint('ESCAPED')"
        )
        await shows_wall(either_attack, code, "own_network")


async def test_no_abstract_socket_of_the_host(either_attack: Attack) -> None:
    name = f"assay-{uuid.uuid4().hex}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        code = (
            f"import socket\nsocket.socket(socket.AF_UNIX).connect('\\0{name}')\nprint('ESCAPED')"
        )
        await shows_wall(either_attack, code, "own_network")


async def test_no_file_of_the_user(either_attack: Attack, tmp_path: Path) -> None:
    # Where the user that root drops to could read it as well: no permission holds it.
    secret = Path("/var/tmp") / f"assay-planted-{uuid.uuid4().hex}"
    secret.write_text("sk-planted")
    secret.chmod(0o644)
    try:
        code = f"print('ESCAPED' if open('{secret}').read() else '')"
        await shows_wall(either_attack, code, "minimal_files")
    finally:
        secret.unlink()


async def test_a_granted_folder_is_read_only(either_attack: Attack, tmp_path: Path) -> None:
    folder = Path("/var/tmp") / f"assay-granted-{uuid.uuid4().hex}"
    folder.mkdir()
    folder.chmod(0o777)
    try:
        code = "open('/granted/x', 'w')\nprint('ESCAPED')"
        held = await either_attack(code, binds=((str(folder), "/granted"),))
        assert "Read-only file system" in held.stderr.text
        assert not list(folder.iterdir())
        await either_attack(code, binds=((str(folder), "/granted"),), without=("read_only",))
        assert [file.name for file in folder.iterdir()] == ["x"]
    finally:
        (folder / "x").unlink(missing_ok=True)
        folder.rmdir()


async def test_processes_of_the_host_cannot_be_seen(
    either_attack: Attack, decoy: subprocess.Popen[bytes]
) -> None:
    code = (
        "import os\n"
        f"if os.path.exists('/proc/{decoy.pid}'):\n"
        f"    print('ESCAPED' if b'sleep' in open('/proc/{decoy.pid}/cmdline', 'rb').read() else 0)"
    )
    await shows_wall(either_attack, code, "own_processes")


async def test_processes_of_the_host_cannot_be_killed(
    either_attack: Attack, decoy: subprocess.Popen[bytes]
) -> None:
    code = f"import os\nos.kill({decoy.pid}, 9)"
    run = await either_attack(code)
    assert "ProcessLookupError" in run.stderr.text
    assert decoy.poll() is None
    control = await either_attack(code, without=("own_processes",))
    # The user that root drops to may not signal it; but it does see that it is there.
    assert (
        decoy.wait(10) == -signal.SIGKILL
        if control.exit_status == 0
        else ("PermissionError" in control.stderr.text)
    )


async def test_shared_memory_of_the_host_cannot_be_seen(either_attack: Attack) -> None:
    key = 0x41737361
    libc = ctypes.CDLL(None, use_errno=True)
    create, remove = 0o1600, 0
    segment = libc.shmget(key, 4096, create)
    assert segment >= 0, os.strerror(ctypes.get_errno())
    try:
        code = f"print('ESCAPED' if '{key}' in open('/proc/sysvipc/shm').read() else 'own')"
        await shows_wall(either_attack, code, "own_ipc")
    finally:
        libc.shmctl(segment, remove, None)


async def test_nothing_but_three_descriptors_is_inherited(either_attack: Attack) -> None:
    code = "import os\nprint(sorted(map(int, os.listdir('/proc/self/fd'))))"
    run = await either_attack(code)
    # The last one is that of the listing itself.
    assert run.stdout.text == "[0, 1, 2, 3]\n"


async def test_no_privilege_can_be_gained(either_attack: Attack) -> None:
    code = "print([l for l in open('/proc/self/status') if l.startswith('NoNewPrivs')])"
    run = await either_attack(code)
    assert "NoNewPrivs:\\t1" in run.stdout.text


async def test_a_run_sees_no_shadow_file_and_no_home(either_attack: Attack) -> None:
    run = await either_attack("import os\nprint(sorted(os.listdir('/etc')), os.listdir('/tmp'))")
    assert run.ending is Ending.EXITED
    assert "shadow" not in run.stdout.text
    assert run.stdout.text.endswith(" []\n")


async def test_a_flood_of_the_channel_is_cut(either_attack: Attack) -> None:
    code = """
import os
channel = int(os.environ["ASSAY_CHANNEL"])
for _ in range(20):
    os.write(channel, b"x" * 1_000_000)
print("written")
"""
    run = await either_attack(code, channel=True)
    assert run.stdout.text == "written\n", run.stderr.text
    assert run.channel == b"x" * CHANNEL_LIMIT
    assert run.channel_cut


async def test_devices_of_the_machine_are_not_there(either_attack: Attack) -> None:
    run = await either_attack("import os\nprint(*sorted(os.listdir('/dev')))")
    assert set(run.stdout.text.split()) <= {
        *("core", "fd", "full", "null", "ptmx", "pts", "random", "shm"),
        *("stderr", "stdin", "stdout", "tty", "urandom", "zero"),
    }
