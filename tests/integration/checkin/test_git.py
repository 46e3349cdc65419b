"""A branch with one commit: nothing of the user's own is touched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.checkin.change import Change
from assay.checkin.git import Repository
from assay.checkin.run import propose
from assay.domain.checkin import Target
from assay.errors import BadInput, GitError

Make = Callable[..., Change]
BRANCH = "assay/one"


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a commit, and changes that are not committed, some of them staged."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.org")
    (folder / "run.sh").write_text("echo 1\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "kept.txt").write_text("kept\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    (folder / "kept.txt").write_text("changed, not staged\n")
    (folder / "staged.txt").write_text("staged\n")
    git(folder, "add", "staged.txt")
    return folder


def test_what_is_the_users_own_stays_as_it_is(repository: Path, change: Make) -> None:
    before = git(repository, "status", "--porcelain"), git(repository, "rev-parse", "HEAD")
    index = (repository / ".git" / "index").read_bytes()
    Repository.around(repository).check_in(change(**{"add.py": "x = 1\n", "run.sh": "2"}), BRANCH)
    after = git(repository, "status", "--porcelain"), git(repository, "rev-parse", "HEAD")
    assert after == before
    assert (repository / ".git" / "index").read_bytes() == index
    assert git(repository, "branch", "--show-current") == "main\n"
    listed = git(repository, "ls-tree", "-r", BRANCH).split("\n")
    assert [line.split()[0] + " " + line.split("\t")[1] for line in listed if line] == [
        "100644 add.py",
        "100644 kept.txt",
        "100755 run.sh",
    ]
    assert git(repository, "show", f"{BRANCH}:kept.txt") == "kept\n"


def test_the_commit_tells_what_was_shown(repository: Path, change: Make) -> None:
    Repository.around(repository).check_in(change(), BRANCH)
    message = git(repository, "show", "-s", "--format=%an <%ae>%n%B", BRANCH)
    assert message.startswith("Ada <ada@example.org>\nAdd numbers\n\nSo that they are added.\n")
    assert "VERIFIED: 1 of 1 example passed.\n\nAssay-Session: 20261201-abcdefgh" in message


def test_a_second_time_finds_it(repository: Path, change: Make) -> None:
    first = Repository.around(repository).check_in(change(), BRANCH)
    again = Repository.around(repository).check_in(change(), BRANCH)
    assert (again.where, first.made, again.made) == (first.where, True, False)


def test_another_branch_of_that_name_is_left_alone(repository: Path, change: Make) -> None:
    git(repository, "branch", BRANCH)
    tip = git(repository, "rev-parse", BRANCH)
    with pytest.raises(GitError, match="something else on it"):
        Repository.around(repository).check_in(change(), BRANCH)
    assert git(repository, "rev-parse", BRANCH) == tip


def test_a_folder_in_it_is_where_the_files_go(repository: Path, change: Make) -> None:
    Repository.around(repository / "src").check_in(change(), BRANCH)
    assert "src/add.py" in git(repository, "ls-tree", "-r", "--name-only", BRANCH)


def test_a_detached_head_is_the_base(repository: Path, change: Make) -> None:
    git(repository, "checkout", "-q", "--detach")
    Repository.around(repository).check_in(change(), BRANCH)
    assert git(repository, "rev-parse", f"{BRANCH}^") == git(repository, "rev-parse", "HEAD")


def test_a_repository_without_a_commit_gets_its_first(tmp_path: Path, change: Make) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    Repository.around(tmp_path).check_in(change(), BRANCH)
    assert git(tmp_path, "rev-list", "--count", BRANCH) == "1\n"


def test_without_a_name_the_commit_is_assays(repository: Path, change: Make) -> None:
    git(repository, "config", "--unset", "user.name")
    git(repository, "config", "--unset", "user.email")
    found = Repository.around(repository)
    assert found.lacks_author
    found.check_in(change(), BRANCH)
    author = git(repository, "show", "-s", "--format=%an <%ae>, %cn", BRANCH)
    assert author == "Assay <assay@localhost>, Assay\n"


def test_hooks_do_not_run(repository: Path, change: Make) -> None:
    hook = repository / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch hooked\nexit 1\n")
    hook.chmod(0o755)
    Repository.around(repository).check_in(change(), BRANCH)
    assert not (repository / "hooked").exists()


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "refs/heads/", "", "@{-1}"])
def test_a_branch_of_an_impossible_name_is_told(repository: Path, change: Make, name: str) -> None:
    with pytest.raises(GitError, match="is no name for a branch"):
        Repository.around(repository).check_in(change(), name)


def test_no_link_of_the_repositorys_is_written_over(repository: Path, change: Make) -> None:
    (repository / "add.py").symlink_to("/etc/passwd")
    git(repository, "add", "add.py")
    git(repository, "commit", "-q", "-m", "a link")
    with pytest.raises(GitError, match=r"add\.py is a symbolic link"):
        Repository.around(repository).check_in(change(), BRANCH)


def test_a_folder_in_no_repository_is_told(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="not a git repository"):
        Repository.around(tmp_path)


def test_strange_file_names_are_names(repository: Path, change: Make) -> None:
    names = {"a b.py": "1", "*.py": "2", ":(top)x.py": "3", "käse.py": "4", "-x.py": "5"}
    Repository.around(repository).check_in(replace(change(**names)), BRANCH)
    listed = git(repository, "ls-tree", "-r", "-z", "--name-only", BRANCH).split("\0")
    assert names.keys() <= set(listed)


@pytest.mark.parametrize(
    ("remote", "meant"),
    [
        ("https://github.com/me/it.git", "me/it"),
        ("git@github.com:me/it.git", "me/it"),
        ("ssh://git@github.example/me/it", "me/it"),
        ("https://user:secret@github.com/me/it/", "me/it"),
    ],
)
def test_a_pull_request_is_for_the_remote_of_the_folder(
    repository: Path, change: Make, remote: str, meant: str
) -> None:
    git(repository, "remote", "add", "origin", remote)
    proposal = propose(change(), Target(kind="pull-request"), repository)
    assert proposal.place == f"a pull request from assay/20261201-abcdefgh to {meant}"


def test_without_a_remote_it_has_to_be_named(
    repository: Path, tmp_path: Path, change: Make
) -> None:
    for folder in (repository, tmp_path):
        with pytest.raises(BadInput, match="--repository OWNER/NAME"):
            propose(change(), Target(kind="pull-request"), folder)


def test_a_branch_without_a_name_is_that_of_the_session(repository: Path, change: Make) -> None:
    git(repository, "config", "--unset", "user.email")
    proposal = propose(change(), Target(kind="branch"), repository)
    assert proposal.place == f"the branch assay/20261201-abcdefgh of {repository}"
    assert proposal.notices == ("git does not know your name: the commit will be Assay's.",)
