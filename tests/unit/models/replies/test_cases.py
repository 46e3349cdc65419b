"""Every case of tests/cases/replies.jsonl holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.domain.message import Reply
from assay.domain.solution import SolutionFile
from assay.errors import ReplyError
from assay.models.replies import read_reply

CASES = Path(__file__).parents[3] / "cases" / "replies.jsonl"


def _cases() -> list[Any]:
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines() if line]
    return [pytest.param(case["given"], case["expect"], id=case["id"]) for case in cases]


@pytest.mark.parametrize(("given", "expect"), _cases())
def test_the_reply_is_read_as_expected(given: dict[str, Any], expect: dict[str, Any]) -> None:
    reply = Reply(text=given["reply"], finish_reason=given["finish_reason"])
    if "error" in expect:
        with pytest.raises(ReplyError) as raised:
            read_reply(reply, language=given.get("language"))
        assert raised.value.kind == expect["error"]
        return

    solution = read_reply(reply, language=given.get("language"))
    main = solution.main
    source = main.source
    # Imports may stay in the code, or be moved out of it.
    if "code" in expect:
        wanted = SolutionFile(path="", imports=expect.get("imports", ""), code=expect["code"])
        assert source.strip("\n") in {wanted.source.strip("\n"), expect["code"]}
    if "imports" in expect:
        assert main.imports.strip("\n") == expect["imports"]
    for name in ("language", "prefix"):
        if name in expect:
            assert getattr(solution, name) == expect[name]
    if "files" in expect:
        assert [file.path for file in solution.files] == expect["files"]
    for piece in expect.get("code_contains", []):
        assert piece in source
    for piece in expect.get("code_lacks", []):
        assert piece not in source
    if expect.get("compiles"):
        compile(source, main.path, "exec", dont_inherit=True)
    if "line_once" in expect:
        assert source.splitlines().count(expect["line_once"]) == 1
