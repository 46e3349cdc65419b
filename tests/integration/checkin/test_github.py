"""Gists and pull requests: once, whatever is lost on the way, and never with the token in words."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.forge import TOKEN, Forge

from assay.checkin import github as github_module
from assay.checkin.change import Change
from assay.checkin.gist import check_in_gist
from assay.checkin.github import GitHub
from assay.checkin.pull_request import check_in_pull_request
from assay.domain.checkin import CheckedIn
from assay.errors import BadInput, CheckInRefused, GitHubError

Make = Callable[..., Change]


class Account:
    """What is done on the server with one token; waiting takes no time."""

    def __init__(self, forge: Forge, token: str = TOKEN) -> None:
        self.waited: list[float] = []
        self.github = GitHub(forge.url, token, sleep=self.waited.append)

    def gist(self, change: Change, *, public: bool = False) -> CheckedIn:
        return check_in_gist(change, self.github, public=public)

    def pull(self, change: Change, branch: str = "assay/one") -> CheckedIn:
        return check_in_pull_request(change, self.github, repository="me/it", branch=branch)


@pytest.fixture
def account(forge: Forge) -> Iterator[Account]:
    one = Account(forge)
    with one.github:
        yield one


def test_a_gist_is_secret_unless_it_is_to_be_public(
    forge: Forge, account: Account, change: Make
) -> None:
    done = account.gist(change())
    assert done == CheckedIn(target="gist", where="https://gist.github.example/g1")
    account.gist(
        change().__class__(**{**vars(change()), "session": "20261201-zzzzzzzz"}), public=True
    )
    assert [gist["public"] for gist in forge.gists] == [True, False]
    assert set(forge.gists[1]["files"]) == {"add.py", "ASSAY.md"}
    assert forge.gists[1]["description"].endswith("(Assay-Session: 20261201-abcdefgh)")


def test_a_second_time_finds_it(forge: Forge, account: Account, change: Make) -> None:
    first = account.gist(change())
    again = account.gist(change())
    assert (again.where, again.made) == (first.where, False)
    assert len(forge.gists) == 1


def test_it_is_found_on_a_later_page(forge: Forge, account: Account, change: Make) -> None:
    account.gist(change())
    others = [{**forge.gists[0], "description": f"other {n}"} for n in range(250)]
    forge.gists[:0] = others
    assert not account.gist(change()).made
    assert len(forge.gists) == 251


@pytest.mark.parametrize("status", [None, 502, 500])
def test_a_lost_answer_makes_no_second_gist(
    forge: Forge, account: Account, change: Make, status: int | None
) -> None:
    forge.will("POST", "/gists", status, does_it=True)
    assert account.gist(change()).where == "https://gist.github.example/g1"
    assert len(forge.gists) == 1
    assert account.waited == [1.0]


def test_an_answer_that_is_no_json_makes_no_second_gist(
    forge: Forge, account: Account, change: Make
) -> None:
    forge.will("POST", "/gists", 201, body=b"<html>", does_it=True)
    assert account.gist(change()).where == "https://gist.github.example/g1"
    assert len(forge.gists) == 1


def test_a_server_that_fails_is_asked_again_and_then_no_more(
    forge: Forge, account: Account, change: Make
) -> None:
    for _ in range(3):
        forge.will("POST", "/gists", 503)
    assert account.gist(change()).made
    for _ in range(4):
        forge.will("GET", "/gists", 503)
    with pytest.raises(GitHubError, match=r"GitHub failed with 503 \(No\)"):
        account.gist(change())


def test_a_server_that_does_not_answer_in_time_is_told(
    forge: Forge, change: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(github_module, "TIMEOUT_SECONDS", 0.05)
    held = threading.Event()

    def hold(_: str) -> None:
        held.wait(20)

    forge.after = hold
    with Account(forge).github as github, pytest.raises(GitHubError, match="ReadTimeout"):
        check_in_gist(change(), github, public=False)
    held.set()


@pytest.mark.parametrize(
    ("status", "headers", "waited"),
    [
        (403, {"Retry-After": "7"}, 7.0),
        (429, {"Retry-After": "3"}, 3.0),
        (429, {}, 60.0),
    ],
)
def test_a_limit_of_requests_is_waited_for(
    forge: Forge, account: Account, change: Make, status: int, headers: Any, waited: float
) -> None:
    forge.will("POST", "/gists", status, headers=headers)
    assert account.gist(change()).made
    assert account.waited == [waited]


def test_a_long_limit_is_told(forge: Forge, account: Account, change: Make) -> None:
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 1800)}
    forge.will("GET", "/gists", 403, headers=reset)
    with pytest.raises(GitHubError, match=r"limit of requests .* in 1[78]\d\d seconds"):
        account.gist(change())
    assert account.waited == []


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (403, "does not allow this .* permission to write gists"),
        (404, "or the token may not see it"),
        (422, r"cannot use this \(422: No\)"),
        (301, "has moved"),
    ],
)
def test_a_refusal_says_what_to_do(
    forge: Forge, account: Account, change: Make, status: int, said: str
) -> None:
    forge.will("POST", "/gists", status)
    with pytest.raises(GitHubError, match=said):
        account.gist(change())
    assert account.waited == []


def test_a_wrong_token_is_told_and_not_shown(forge: Forge, change: Make) -> None:
    wrong = "ghp_wrong_but_secret"
    with Account(forge, wrong).github as github, pytest.raises(GitHubError) as told:
        check_in_gist(change(), github, public=False)
    assert "does not accept the token" in str(told.value)
    assert wrong not in str(told.value)


@pytest.mark.parametrize("token", ["", " ", "käse", "a\nb"])
def test_a_token_that_is_none_is_told(token: str) -> None:
    with pytest.raises(GitHubError, match="no usable token"):
        GitHub("http://127.0.0.1:9", token)


def test_nobody_at_the_address_is_told(change: Make) -> None:
    account = GitHub("http://127.0.0.1:9", TOKEN, sleep=lambda seconds: None)
    with account, pytest.raises(GitHubError, match=r"does not answer \(ConnectError\)"):
        check_in_gist(change(), account, public=False)


def test_empty_files_are_left_out_and_named(forge: Forge, account: Account, change: Make) -> None:
    account.gist(change(**{"pkg/__init__.py": "", "pkg/add.py": "x = 1\n"}))
    assert set(forge.gists[0]["files"]) == {"pkg__add.py", "ASSAY.md"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({f"f{n}.py": "x" for n in range(300)}, "at most 299 files"),
        ({"a/b.py": "x", "a__b.py": "y"}, "Two files would be called a__b.py"),
        ({"ASSAY.md": "x"}, "Two files would be called ASSAY.md"),
        ({"a.py": "\0"}, "is not text"),
        ({"a.py": " "}, "All files are empty"),
    ],
)
def test_what_no_gist_can_hold_is_told(
    account: Account, change: Make, files: dict[str, str], said: str
) -> None:
    with pytest.raises(CheckInRefused, match=said):
        account.gist(change(**files))


def test_a_pull_request_is_a_branch_with_one_commit(
    forge: Forge, account: Account, change: Make
) -> None:
    done = account.pull(change(**{"run.sh": "echo 2", "src/new.py": "y"}))
    assert done.where == "https://github.example/me/it/pull/1"
    commit = forge.commits[forge.refs["assay/one"]]
    assert commit["parents"] == ["c0".rjust(40, "0")]
    assert commit["message"].endswith("Assay-Session: 20261201-abcdefgh\n")
    assert forge.trees[commit["tree"]] == {
        "README": ("100644", "hi"),
        "run.sh": ("100755", "echo 2"),
        "src/new.py": ("100644", "y"),
    }
    (pull,) = forge.pulls
    assert (pull["title"], pull["base"]) == ("Add numbers", "main")
    assert "VERIFIED" in pull["body"]


def test_a_pull_request_is_made_once(forge: Forge, account: Account, change: Make) -> None:
    account.pull(change())
    assert not account.pull(change()).made
    assert (len(forge.pulls), len(forge.commits)) == (1, 2)


@pytest.mark.parametrize("path", ["/git/trees", "/git/commits", "/git/refs", "/pulls"])
@pytest.mark.parametrize("status", [None, 500])
def test_a_lost_answer_makes_no_second_pull_request(
    forge: Forge, account: Account, change: Make, path: str, status: int | None
) -> None:
    forge.will("POST", path, status, does_it=True)
    assert account.pull(change()).where == "https://github.example/me/it/pull/1"
    assert (len(forge.pulls), len(forge.refs)) == (1, 2)


@pytest.mark.parametrize("path", ["/git/trees", "/git/commits", "/git/refs", "/pulls"])
def test_what_was_cut_off_is_gone_on_with(
    forge: Forge, account: Account, change: Make, path: str
) -> None:
    forge.will("POST", path, 403)
    with pytest.raises(GitHubError):
        account.pull(change())
    assert account.pull(change()).made
    assert (len(forge.pulls), len(forge.refs)) == (1, 2)


def test_a_branch_with_something_else_is_left_alone(
    forge: Forge, account: Account, change: Make
) -> None:
    forge.refs["assay/one"] = "c0"
    with pytest.raises(CheckInRefused, match="something else on it"):
        account.pull(change())
    assert forge.refs["assay/one"] == "c0"


@pytest.mark.parametrize("name", ["", "me", "me/it/x", "me/../it", "a b/c"])
def test_a_repository_that_is_none_is_told(account: Account, change: Make, name: str) -> None:
    with pytest.raises((BadInput, GitHubError)):
        check_in_pull_request(change(), account.github, repository=name, branch="b")
