"""From an approved proposal to what is checked in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.checkin.change import Change
from assay.checkin.folder import FileChange, apply_changes, plan_changes
from assay.checkin.gist import check_in_gist, gist_files
from assay.checkin.git import Repository
from assay.checkin.github import GitHub
from assay.checkin.pull_request import check_in_pull_request, repository_of
from assay.domain.checkin import CheckedIn, Target
from assay.errors import BadInput, CheckInRefused, GitError


@dataclass(frozen=True)
class Proposal:
    """What would be done; nothing has been."""

    target: Target
    change: Change
    place: str
    """Where it would go, in words."""
    differences: tuple[FileChange, ...] = ()
    """Of a folder: each file as it is and as it would be."""
    notices: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether a folder holds all of it already."""
        return bool(self.differences) and all(one.kind == "same" for one in self.differences)


def propose(
    change: Change, target: Target, here: Path, base: Mapping[str, bytes] | None = None
) -> Proposal:
    """Find out whether a change can be checked in, and what that would do.

    Args:
        change: What is checked in.
        target: Where.
        here: The current folder; its repository is meant where one is needed.
        base: Files as the answer was made for them, where it was made for a folder.

    Raises:
        CheckInError: it cannot be.
        BadInput: the target's name cannot be used.
    """
    branch = target.name or f"assay/{change.session}"
    match target.kind:
        case "folder":
            folder = here / (target.name or ".")
            differences = plan_changes(folder, change.files)
            _require_unchanged(differences, base or {})
            return Proposal(target, change, f"the folder {folder}", differences)
        case "branch":
            repository = Repository.around(here)
            unknown = "git does not know your name: the commit will be Assay's."
            place = f"the branch {branch} of {repository.root}"
            notices = (unknown,) * repository.lacks_author
            return Proposal(target, change, place, notices=notices)
        case "gist":
            _, left_out = gist_files(change.files)
            said = tuple(f"{name} is empty, and left out." for name in left_out)
            kind = "public" if target.public else "secret"
            return Proposal(target, change, f"a {kind} gist", notices=said)
        case "pull-request":
            place = f"a pull request from {branch} to {_repository(target, here)}"
            return Proposal(target, change, place)


def _require_unchanged(differences: Sequence[FileChange], base: Mapping[str, bytes]) -> None:
    """Refuse to write over what was changed since the answer was made for it."""
    for one in differences:
        if one.kind == "changed" and one.path in base and one.before != base[one.path]:
            raise CheckInRefused(
                f"{one.path} was changed after the session had read it. Ask again, or put the "
                "answer into another folder."
            )


def perform(proposal: Proposal, here: Path, *, github_url: str, token: str) -> CheckedIn:
    """Do what was proposed, once: what is there already is found.

    Args:
        proposal: From `propose`.
        here: The current folder.
        github_url: Address of GitHub's API.
        token: For it.

    Raises:
        CheckInError: it cannot be done; says why, and whether it can be tried again.
    """
    change, target = proposal.change, proposal.target
    branch = target.name or f"assay/{change.session}"
    match target.kind:
        case "folder":
            folder = here / (target.name or ".")
            written = apply_changes(folder, proposal.differences)
            return CheckedIn(target=str(target), where=str(folder), made=written > 0)
        case "branch":
            return Repository.around(here).check_in(change, branch)
        case "gist":
            with GitHub(github_url, token) as github:
                return check_in_gist(change, github, public=target.public)
        case "pull-request":
            with GitHub(github_url, token) as github:
                return check_in_pull_request(
                    change, github, repository=_repository(target, here), branch=branch
                )


def _repository(target: Target, here: Path) -> str:
    if target.repository:
        return target.repository
    try:
        remote = Repository.around(here).remote()
    except GitError:
        remote = None
    found = repository_of(remote) if remote else None
    if found is None:
        raise BadInput(
            "It is not known which repository a pull request is for: this folder's has no remote "
            "on GitHub. Say --repository OWNER/NAME."
        )
    return found
