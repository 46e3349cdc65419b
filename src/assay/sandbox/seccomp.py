"""The filter of system calls: what a program under test has no business to ask the kernel for.

A classic BPF program for seccomp: the kernel runs it before each system call, over the call's
number and arguments (`struct seccomp_data`).
"""

from __future__ import annotations

import errno
import platform
import socket
import struct
from dataclasses import dataclass

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000

_NAMESPACE_FLAGS = 0x7E020000
"""CLONE_NEWNS, -CGROUP, -UTS, -IPC, -USER, -PID, -NET."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: they type into the terminal."""
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 16)
"""16 is AF_NETLINK: getaddrinfo and if_nameindex need it."""
_X32 = 0x40000000


@dataclass(frozen=True)
class _Architecture:
    """Numbers of one architecture."""

    audit: int
    clone: int
    ioctl: int
    socket: tuple[int, int]
    """socket and socketpair."""
    denied: dict[str, int]
    """What fails with EPERM."""
    absent: dict[str, int]
    """What fails with ENOSYS, so that programs take their older way."""


_SINCE_5 = {
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "open_tree_attr": 467,
}
_ABSENT_SINCE_5 = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "clone3": 435,  # its flags lie in memory, where a filter cannot look
    "memfd_secret": 447,
}

# memfd_create, SysV and POSIX message queues: memory that neither a folder's size nor the look at
# the tree's processes would count where no memory cgroup can be had.
_X86_64 = _Architecture(
    audit=0xC000003E,
    clone=56,
    ioctl=16,
    socket=(41, 53),
    denied={
        **_SINCE_5,
        "shmget": 29,
        "semget": 64,
        "msgget": 68,
        "ptrace": 101,
        "syslog": 103,
        "uselib": 134,
        "ustat": 136,
        "sysfs": 139,
        "vhangup": 153,
        "modify_ldt": 154,
        "pivot_root": 155,
        "_sysctl": 156,
        "adjtimex": 159,
        "chroot": 161,
        "acct": 163,
        "settimeofday": 164,
        "mount": 165,
        "umount2": 166,
        "swapon": 167,
        "swapoff": 168,
        "reboot": 169,
        "sethostname": 170,
        "setdomainname": 171,
        "iopl": 172,
        "ioperm": 173,
        "init_module": 175,
        "delete_module": 176,
        "quotactl": 179,
        "nfsservctl": 180,
        "lookup_dcookie": 212,
        "clock_settime": 227,
        "mq_open": 240,
        "kexec_load": 246,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "unshare": 272,
        "move_pages": 279,
        "perf_event_open": 298,
        "fanotify_init": 300,
        "name_to_handle_at": 303,
        "open_by_handle_at": 304,
        "clock_adjtime": 305,
        "setns": 308,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "kcmp": 312,
        "finit_module": 313,
        "kexec_file_load": 320,
        "bpf": 321,
        "userfaultfd": 323,
    },
    absent={**_ABSENT_SINCE_5, "memfd_create": 319},
)
_AARCH64 = _Architecture(
    audit=0xC00000B7,
    clone=220,
    ioctl=29,
    socket=(198, 199),
    denied={
        **_SINCE_5,
        "lookup_dcookie": 18,
        "umount2": 39,
        "mount": 40,
        "pivot_root": 41,
        "nfsservctl": 42,
        "chroot": 51,
        "vhangup": 58,
        "quotactl": 60,
        "acct": 89,
        "unshare": 97,
        "kexec_load": 104,
        "init_module": 105,
        "delete_module": 106,
        "clock_settime": 112,
        "syslog": 116,
        "ptrace": 117,
        "reboot": 142,
        "sethostname": 161,
        "setdomainname": 162,
        "settimeofday": 170,
        "adjtimex": 171,
        "mq_open": 180,
        "msgget": 186,
        "semget": 190,
        "shmget": 194,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "swapon": 224,
        "swapoff": 225,
        "move_pages": 239,
        "perf_event_open": 241,
        "fanotify_init": 262,
        "name_to_handle_at": 264,
        "open_by_handle_at": 265,
        "clock_adjtime": 266,
        "setns": 268,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "kcmp": 272,
        "finit_module": 273,
        "bpf": 280,
        "userfaultfd": 282,
        "kexec_file_load": 294,
    },
    absent={**_ABSENT_SINCE_5, "memfd_create": 279},
)
_ARCHITECTURES = {"x86_64": _X86_64, "aarch64": _AARCH64}


def system_call_filter(machine: str | None = None) -> bytes | None:
    """Assemble the filter for this machine; None where its numbers are not known.

    Args:
        machine: `x86_64` or `aarch64`; None: the one that this runs on.
    """
    architecture = _ARCHITECTURES.get(machine or platform.machine())
    return None if architecture is None else _assemble(architecture)


def _assemble(on: _Architecture) -> bytes:
    permitted = _return(_ALLOW)
    refused = _return(_ERROR | errno.EPERM)
    program = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, on.audit, then=1),
        _return(_KILL),
        _instruction(_LOAD, _NUMBER),
        _instruction(_AT_LEAST, _X32, otherwise=1),
        _return(_KILL),
    ]
    for number in on.denied.values():
        program += [_instruction(_EQUAL, number, otherwise=1), refused]
    for number in on.absent.values():
        program += [_instruction(_EQUAL, number, otherwise=1), _return(_ERROR | errno.ENOSYS)]
    new_namespace = _instruction(_ANY_BIT, _NAMESPACE_FLAGS, otherwise=1)
    program += _when(on.clone, 0, [new_namespace, refused, permitted])
    typing = [
        line
        for request in _TERMINAL_INPUT
        for line in (_instruction(_EQUAL, request, otherwise=1), refused)
    ]
    program += _when(on.ioctl, 1, [*typing, permitted])
    families = [
        line
        for family in _FAMILIES
        for line in (_instruction(_EQUAL, family, otherwise=1), permitted)
    ]
    for number in on.socket:
        program += _when(number, 0, [*families, _return(_ERROR | errno.EAFNOSUPPORT)])
    return b"".join([*program, permitted])


def _when(number: int, argument: int, body: list[bytes]) -> list[bytes]:
    """Run `body`, which returns, over the low half of an argument if the call has this number."""
    load = _instruction(_LOAD, _ARGUMENTS + 8 * argument)
    return [_instruction(_EQUAL, number, otherwise=len(body) + 1), load, *body]


def _return(value: int) -> bytes:
    return _instruction(_RETURN, value)


def _instruction(code: int, operand: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One `struct sock_filter`; `then` and `otherwise` are how many instructions are skipped."""
    return struct.pack("=HBBI", code, then, otherwise, operand)
