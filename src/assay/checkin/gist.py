"""A gist: files without folders, found again by what its description holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.checkin.change import Change
from assay.checkin.github import GitHub, Json
from assay.domain.checkin import CheckedIn
from assay.errors import CheckInRefused, GitHubError

MOST_FILES = 299
"""What a gist gives back of its files is cut at 300; one is Assay's own."""
EVIDENCE_FILE = "ASSAY.md"
_SLASH = "__"


def check_in_gist(change: Change, github: GitHub, *, public: bool) -> CheckedIn:
    """Make a gist of a change, once: a second time, or after a lost answer, finds it.

    Raises:
        CheckInRefused: its files cannot be those of a gist.
        GitHubError: GitHub refuses, or does not answer.
    """
    files, left_out = gist_files(change.files)

    def find() -> Json | None:
        return find_gist(github, change)

    if (found := find()) is not None:
        return _checked_in(found, made=False)
    body = change.body
    if left_out:
        body += f"\nLeft out, as a gist holds no empty files: {', '.join(left_out)}\n"
    files[EVIDENCE_FILE] = {"content": body}
    made = github.make(
        "/gists",
        {"description": describe(change), "public": public, "files": files},
        find,
    )
    return _checked_in(made, made=True)


def describe(change: Change) -> str:
    """One line: what it is, what was shown, and the marker."""
    return f"{change.title} — {change.headline[:120]} ({change.marker})"


def find_gist(github: GitHub, change: Change) -> Json | None:
    """The gist that this change was put into, if any."""
    mark = f"({change.marker})"
    for gist in github.pages("/gists"):
        if str(gist.get("description") or "").endswith(mark):
            return gist
    return None


def gist_files(
    files: Mapping[str, bytes],
) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Files as a gist takes them, and the names of those that it cannot hold.

    Raises:
        CheckInRefused: there are too many, one is not text, or two would have one name.
    """
    if len(files) > MOST_FILES:
        raise CheckInRefused(
            f"A gist holds at most {MOST_FILES} files, and these are {len(files)}. Check them in "
            "to a branch or a folder."
        )
    given: dict[str, dict[str, Any]] = {}
    left_out = []
    for path, content in files.items():
        name = path.replace("/", _SLASH)
        if name in given or name == EVIDENCE_FILE:
            raise CheckInRefused(
                f"Two files would be called {name} in a gist. Check them in to a branch or folder."
            )
        try:
            text = content.decode()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise CheckInRefused(
                f"{path} is not text, and a gist holds nothing else. Check it in to a branch or a "
                "folder."
            )
        if text.strip():
            given[name] = {"content": text}
        else:
            left_out.append(path)
    if not given:
        raise CheckInRefused("All files are empty, and a gist holds no empty files.")
    return given, tuple(left_out)


def _checked_in(gist: Json, *, made: bool) -> CheckedIn:
    address = gist.get("html_url")
    if not isinstance(address, str):
        raise GitHubError("GitHub's answer does not say where the gist is. Look at your gists.")
    return CheckedIn(target="gist", where=address, made=made)
