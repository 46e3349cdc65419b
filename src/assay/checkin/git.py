"""A branch with one commit in a git repository; working tree, index and HEAD stay as they are."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.checkin.change import Change
from assay.domain.checkin import CheckedIn
from assay.errors import GitError

SECONDS = 60
"""What one command of git's may take."""

_NOBODY = "0" * 40
_FALLBACK = {"NAME": "Assay", "EMAIL": "assay@localhost"}


@dataclass(frozen=True)
class Repository:
    """The git repository that a folder is in."""

    root: Path
    prefix: str
    """The folder's path inside it, with a slash at its end; empty at its root."""

    @classmethod
    def around(cls, folder: Path) -> Repository:
        """Find it.

        Raises:
            GitError: there is none, or git is not installed.
        """
        root = _git(folder, "rev-parse", "--show-toplevel").strip()
        prefix = _git(folder, "rev-parse", "--show-prefix").rstrip("\n")
        return cls(Path(root), prefix)

    def check_in(self, change: Change, branch: str) -> CheckedIn:
        """Make a branch with one commit on what HEAD is, once: a second time finds it there.

        Raises:
            GitError: git refuses, or there is such a branch with something else.
        """
        self._require_name(branch)
        target, reference = f"branch:{branch}", f"refs/heads/{branch}"
        tip = self._find(reference)
        if tip is not None:
            message = self.git("show", "-s", "--format=%B", tip)
            if change.marker in message.splitlines():
                return CheckedIn(target=target, where=f"{branch} ({tip[:12]})", made=False)
            raise GitError(
                f"There is a branch {branch} already, with something else on it. Name another: "
                "branch:NAME."
            )
        base = self._find("HEAD")
        commit = self._commit(change, base)
        self.git("update-ref", "-m", "assay: check in", reference, commit, _NOBODY)
        return CheckedIn(target=target, where=f"{branch} ({commit[:12]})")

    @property
    def lacks_author(self) -> bool:
        """Whether git does not know whose a commit would be."""
        return any(not self._author(part) for part in _FALLBACK)

    def remote(self, name: str = "origin") -> str | None:
        """The address of a remote; None where there is none."""
        try:
            return self.git("remote", "get-url", name).strip()
        except GitError:
            return None

    def git(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """Run git in the repository and give what it prints.

        Raises:
            GitError: it refuses.
        """
        return _git(self.root, *arguments, stdin=stdin, env=env)

    def _commit(self, change: Change, base: str | None) -> str:
        """Make the commit beside everything, in an index of its own."""
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self.git("read-tree", *([base] if base else ["--empty"]), env=env)
            for path, content in change.files.items():
                blob = self.git("hash-object", "-w", "--stdin", "--no-filters", stdin=content)
                whole = f"{self.prefix}{path}"
                entry = f"{self._mode(base, whole)},{blob.strip()},{whole}"
                self.git("update-index", "--add", "--cacheinfo", entry, env=env)
            tree = self.git("write-tree", env=env).strip()
        parent = ["-p", base] if base else []
        return self.git(
            "commit-tree", tree, *parent, stdin=change.message.encode(), env=self._authors()
        ).strip()

    def _mode(self, base: str | None, path: str) -> str:
        """A file's mode in the commit before, where it is there."""
        entry = self.git("ls-tree", base, "--", path) if base else ""
        mode = entry.split(" ", 1)[0]
        if mode in {"120000", "160000"}:
            kind = "a symbolic link" if mode == "120000" else "a submodule"
            raise GitError(f"{path} is {kind} in the repository; Assay writes through none.")
        return mode if mode in {"100644", "100755"} else "100644"

    def _authors(self) -> dict[str, str]:
        """Names for a commit that git has none for."""
        return {
            f"GIT_{who}_{part}": instead
            for part, instead in _FALLBACK.items()
            if not self._author(part)
            for who in ("AUTHOR", "COMMITTER")
        }

    def _author(self, part: str) -> str:
        if found := os.environ.get(f"GIT_AUTHOR_{part}"):
            return found
        try:
            return self.git("config", "--get", f"user.{part.lower()}").strip()
        except GitError:
            return ""

    def _find(self, name: str) -> str | None:
        try:
            return self.git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()
        except GitError:
            return None

    def _require_name(self, branch: str) -> None:
        try:
            self.git("check-ref-format", "--branch", branch)
        except GitError as error:
            raise GitError(f"{branch!r} is no name for a branch. Name another.") from error


def _git(
    folder: Path, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> str:
    # Hooks are for the person's own commits; and nothing may ask on the terminal.
    settings = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]
    settings += ["-c", "log.showSignature=false"]
    command = ["git", *settings, "--literal-pathspecs", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            input=stdin,
            capture_output=True,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **(env or {})},
            timeout=SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError("git is not here. Install it, or check in to a folder.") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git could not be run in {folder} ({error}).") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[-1].removeprefix("fatal: ") if said else f"status {done.returncode}"
        raise GitError(f"git {arguments[0]} in {folder} failed: {reason}")
    return done.stdout.decode("utf-8", "replace")
