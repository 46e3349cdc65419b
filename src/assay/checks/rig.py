"""A subject with its toolchain: everything that the single checks run with."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from assay.checks.script_tests import is_es_module
from assay.checks.subject import Subject
from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.sandbox.compiler_cache import with_cache
from assay.sandbox.languages import Language, get_language
from assay.sandbox.opening import granted_env
from assay.sandbox.protocol import SUPPORT, Job, Run, Sandbox, Toolchain
from assay.sandbox.toolchains import find_toolchain

if TYPE_CHECKING:
    from assay.checks.building import Build


@dataclass(frozen=True)
class Rig:
    """Runs programs for one subject."""

    subject: Subject
    language: Language
    toolchain: Toolchain
    sandbox: Sandbox
    cache_folder: Path
    builds: dict[str, Build] = field(default_factory=dict, compare=False)
    """What has been compiled, by the solution's hash."""

    @property
    def limits(self) -> RunLimits:
        """What one run may use."""
        return self.subject.run_limits or self.language.limits

    @property
    def own_modules(self) -> frozenset[str]:
        """Top-level names of what the solution and the attachments hold."""
        paths = [file.path for file in self.subject.solution.files]
        paths += [attachment.name for attachment in self.subject.attachments]
        return frozenset(path.split("/")[0].split(".")[0] for path in paths)

    @property
    def files(self) -> dict[str, bytes]:
        """What lies in the working folder: the attachments, and over them the solution."""
        files = {attachment.name: attachment.content for attachment in self.subject.attachments}
        for file in self.subject.solution.files:
            files[file.path] = file.source.encode("utf-8", "replace")
        for path, text in self.language.files.items():
            files.setdefault(path, text.encode())
        if self.language.name == "javascript" and is_es_module(self.subject.solution.main.source):
            files.setdefault("package.json", b'{"type": "module"}\n')
        return files

    async def run_program(self, path: str, files: Mapping[str, bytes]) -> tuple[Run, Job]:
        """Run the file at `path` in the working folder."""
        job = self.program_job(path, files)
        return await self.sandbox.run(job), job

    def program_job(self, path: str, files: Mapping[str, bytes]) -> Job:
        """What runs the file at `path`, or what was compiled of it, in the working folder."""
        return self.command_job(self.language.run_command(self.toolchain, path), files)

    async def run_command(
        self, command: tuple[str, ...], files: Mapping[str, bytes]
    ) -> tuple[Run, Job]:
        """Run any command in the working folder."""
        job = self.command_job(command, files)
        return await self.sandbox.run(job), job

    def command_job(self, command: tuple[str, ...], files: Mapping[str, bytes]) -> Job:
        """What runs any command in the working folder."""
        return self._job(command, files, channel=False)

    def driver_job(self, driver: str, files: Mapping[str, bytes], *modules: str) -> Job:
        """What runs one of our drivers, which reports over the channel.

        Args:
            driver: its name; all of them lie under SUPPORT.
            files: what lies in the working folder.
            modules: what it imports first of all.
        """
        command = self.language.run_command(self.toolchain, f"{SUPPORT}/{driver}")
        job = self._job(command, files, channel=True)
        return replace(job, tools=read_drivers(), modules=modules)

    def _job(self, command: tuple[str, ...], files: Mapping[str, bytes], *, channel: bool) -> Job:
        return Job(
            command=command,
            toolchain=self.toolchain,
            files=files,
            env=granted_env(self.subject.grants),
            limits=self.limits,
            channel=channel,
            stand_ins=self.subject.grants.stand_ins,
        )


async def make_rig(subject: Subject, sandbox: Sandbox, cache_folder: Path) -> Rig:
    """Find what the subject's language needs.

    Raises:
        UnknownName: a language that cannot be run.
        ToolchainMissing: its interpreter is not on this machine.
        PackagesError: granted packages cannot be installed.
    """
    language = get_language(subject.language)
    toolchain = await find_toolchain_aside(language, subject.grants, cache_folder)
    if language.cache is not None:
        toolchain = await asyncio.to_thread(with_cache, toolchain, language, cache_folder)
    return Rig(subject, language, toolchain, sandbox, cache_folder)


async def find_toolchain_aside(language: Language, grants: Grants, cache_folder: Path) -> Toolchain:
    """Find a toolchain without blocking the event loop; installing packages may take minutes."""
    return await asyncio.to_thread(find_toolchain, language, grants, cache_folder)


@cache
def read_drivers() -> Mapping[str, bytes]:
    """Our own programs that run inside, by their paths under SUPPORT."""
    folder = resources.files("assay.checks") / "drivers"
    return dict(_read_folder(folder, ""))


def _read_folder(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _read_folder(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".py", ".cjs", ".mjs")):
            yield prefix + entry.name, entry.read_bytes()
