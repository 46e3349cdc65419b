"""The filter, run by a small interpreter of its own, on both architectures."""

from __future__ import annotations

import errno
import struct

import pytest

from assay.sandbox.seccomp import system_call_filter

ALLOW, ERROR, KILL = 0x7FFF0000, 0x00050000, 0x80000000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {
    "x86_64": {
        "read": 0,
        "clone": 56,
        "ioctl": 16,
        "socket": 41,
        "socketpair": 53,
        "ptrace": 101,
        "unshare": 272,
        "setns": 308,
        "bpf": 321,
        "memfd": 319,
        "execve": 59,
    },
    "aarch64": {
        "read": 63,
        "clone": 220,
        "ioctl": 29,
        "socket": 198,
        "socketpair": 199,
        "ptrace": 117,
        "unshare": 97,
        "setns": 268,
        "bpf": 280,
        "memfd": 279,
        "execve": 221,
    },
}


def judge(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """What the filter returns for a call; raises where it runs off its end."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, audit, 0, *padded)
    lines = list(struct.iter_unpack("=HBBI", program))
    at = accumulator = 0
    while True:
        code, then, otherwise, operand = lines[at]
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("<I", data, operand)[0]
        elif code == 0x06:
            return int(operand)
        else:
            tests = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }
            at += then if tests[code] else otherwise


@pytest.mark.parametrize("machine", AUDIT)
@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("read", (), ALLOW),
        ("execve", (), ALLOW),
        ("ptrace", (), ERROR | errno.EPERM),
        ("unshare", (0,), ERROR | errno.EPERM),
        ("setns", (), ERROR | errno.EPERM),
        ("bpf", (), ERROR | errno.EPERM),
        ("memfd", (), ERROR | errno.ENOSYS),
        ("clone", (17,), ALLOW),
        ("clone", (0x3D0F00,), ALLOW),
        ("clone", (0x10000000 | 17,), ERROR | errno.EPERM),
        ("clone", (0x00020000,), ERROR | errno.EPERM),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), ERROR | errno.EPERM),
        ("ioctl", (0, 0x1_0000_5412), ERROR | errno.EPERM),
        ("ioctl", (0, 0x541C), ERROR | errno.EPERM),
        ("socket", (1,), ALLOW),
        ("socket", (2,), ALLOW),
        ("socket", (10,), ALLOW),
        ("socket", (16,), ALLOW),
        ("socket", (17,), ERROR | errno.EAFNOSUPPORT),
        ("socket", (38,), ERROR | errno.EAFNOSUPPORT),
        ("socket", (40,), ERROR | errno.EAFNOSUPPORT),
        ("socketpair", (1,), ALLOW),
        ("socketpair", (40,), ERROR | errno.EAFNOSUPPORT),
    ],
)
def test_what_is_allowed(
    machine: str, call: str, arguments: tuple[int, ...], expected: int
) -> None:
    program = system_call_filter(machine)
    assert program
    assert judge(program, AUDIT[machine], CALLS[machine][call], *arguments) == expected


@pytest.mark.parametrize("number", [435, 425, 426, 427, 447])
@pytest.mark.parametrize("machine", AUDIT)
def test_newer_calls_are_not_there(machine: str, number: int) -> None:
    program = system_call_filter(machine)
    assert program
    assert judge(program, AUDIT[machine], number) == ERROR | errno.ENOSYS


@pytest.mark.parametrize("machine", AUDIT)
def test_another_architecture_is_killed(machine: str) -> None:
    program = system_call_filter(machine)
    assert program
    assert judge(program, 0x40000003, 0) == KILL
    assert judge(program, AUDIT[machine], 0x40000000) == KILL


@pytest.mark.parametrize("machine", AUDIT)
def test_every_number_gets_an_answer(machine: str) -> None:
    program = system_call_filter(machine)
    assert program
    for number in range(600):
        assert judge(program, AUDIT[machine], number, 1) & 0xFFFF0000 in (ALLOW, ERROR)


def test_an_unknown_machine_has_no_filter() -> None:
    assert system_call_filter("riscv64") is None
