"""A pull request: a branch with one commit, made through GitHub's API, and the request for it."""

from __future__ import annotations

import re
from urllib.parse import quote

from assay.checkin.change import Change
from assay.checkin.github import GitHub, Json, is_invalid
from assay.domain.checkin import CheckedIn
from assay.errors import BadInput, CheckInRefused, GitHubError

_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_REMOTE = re.compile(r"[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?$", re.ASCII)


def repository_of(remote: str) -> str | None:
    """`owner/name` of a remote's address; None where it has none."""
    found = _REMOTE.search(remote)
    return found[1] if found else None


def check_in_pull_request(
    change: Change, github: GitHub, *, repository: str, branch: str
) -> CheckedIn:
    """Open a pull request for a change, once; each of its parts that is there is left.

    Args:
        change: What it holds; the files' paths are those in the repository.
        github: Whose it will be.
        repository: As `owner/name`.
        branch: The one to make; it goes into the repository's default branch.

    Raises:
        BadInput: the repository's name is none.
        CheckInRefused: there is such a branch with something else on it.
        GitHubError: GitHub refuses, or does not answer.
    """
    if not _NAME.fullmatch(repository):
        raise BadInput(f"{repository!r} is no repository; name it as owner/name.")
    work = _Work(change, github, f"/repos/{repository}", branch)
    base = work.text(github.get(work.at), "default_branch")
    owner = repository.split("/", 1)[0]

    def find() -> Json | None:
        requests = github.pages(f"{work.at}/pulls", head=f"{owner}:{branch}", state="all")
        return next(iter(requests), None)

    is_there = work.find_branch()
    if is_there and (found := find()) is not None:
        return CheckedIn(target="pull-request", where=work.text(found, "html_url"), made=False)
    if not is_there:
        work.make_branch(base)
    body = {"title": change.title, "head": branch, "base": base, "body": change.body}
    made = github.make(f"{work.at}/pulls", body, find)
    return CheckedIn(target="pull-request", where=work.text(made, "html_url"))


class _Work:
    """The parts of a pull request, in one repository."""

    def __init__(self, change: Change, github: GitHub, at: str, branch: str) -> None:
        self.at = at
        self._change = change
        self._github = github
        self._branch = branch

    def find_branch(self) -> bool:
        """Whether this change's branch is there."""
        reference = self._find_reference(self._branch)
        if reference is None:
            return False
        commit = self._github.get(f"{self.at}/git/commits/{self._sha(reference)}")
        if self._change.marker in self.text(commit, "message").splitlines():
            return True
        raise CheckInRefused(
            f"There is a branch {self._branch} on GitHub already, with something else on it. Name "
            "another: pull-request:NAME."
        )

    def make_branch(self, base: str) -> None:
        """Make it, with one commit on the base."""
        reference = self._find_reference(base)
        if reference is None:
            raise GitHubError(f"The repository has no commit on {base} to build on.")
        parent = self._sha(reference)
        tree = self._github.get(f"{self.at}/git/commits/{parent}")["tree"]["sha"]
        made_tree = self._make("trees", {"base_tree": tree, "tree": self._entries(tree)})
        commit = self._make(
            "commits",
            {
                "message": self._change.message,
                "tree": self.text(made_tree, "sha"),
                "parents": [parent],
            },
        )
        body = {"ref": f"refs/heads/{self._branch}", "sha": self.text(commit, "sha")}
        try:
            self._github.make(f"{self.at}/git/refs", body, self._find_own)
        except GitHubError as error:
            # The answer to an earlier try was lost: then the branch is this change's.
            if not is_invalid(error) or not self.find_branch():
                raise

    def _entries(self, tree: str) -> list[Json]:
        """The files, each with the mode that it has."""
        listed = self._github.get(f"{self.at}/git/trees/{tree}", recursive=1)["tree"]
        modes = {entry.get("path"): entry.get("mode") for entry in listed}
        for path in self._change.files:
            if modes.get(path) in {"120000", "160000"}:
                raise CheckInRefused(f"{path} is a link or submodule in the repository.")
        return [
            {
                "path": path,
                "mode": modes.get(path) if modes.get(path) == "100755" else "100644",
                "type": "blob",
                "content": content.decode("utf-8", "replace"),
            }
            for path, content in self._change.files.items()
        ]

    def _make(self, what: str, body: Json) -> Json:
        # Objects are named by their content: made twice, they are the same.
        return self._github.make(f"{self.at}/git/{what}", body, lambda: None)

    def _find_own(self) -> Json | None:
        reference = self._find_reference(self._branch)
        return reference if reference is not None and self.find_branch() else None

    def _find_reference(self, branch: str) -> Json | None:
        found = self._github.find(f"{self.at}/git/ref/heads/{quote(branch)}")
        return found if isinstance(found, dict) else None

    def _sha(self, reference: Json) -> str:
        return self.text(reference.get("object"), "sha")

    @staticmethod
    def text(answer: object, name: str) -> str:
        """A text in GitHub's answer.

        Raises:
            GitHubError: it is not there.
        """
        value = answer.get(name) if isinstance(answer, dict) else None
        if not isinstance(value, str):
            raise GitHubError(f"GitHub's answer has no {name!r}. Is its address set right?")
        return value
