"""Hidden cases: nothing of them, nor of what their runs printed, reaches a model."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from assay import Assay, Task
from assay.domain.task import TestFile

MARK = "zebra"
CASES = f"""
[[case]]
name = "{MARK}"
args = ["--{MARK}", "{MARK}"]
stdin = "{MARK}"
files = {{"{MARK}.txt" = "{MARK}"}}
stdout = "{MARK} it was"
stdout_contains = "{MARK}"
stderr_contains = "{MARK}"
files_after = {{"{MARK}.out" = "{MARK}"}}
"""
PROGRAMS = [
    "import os, sys\nprint(sys.argv, input(), os.listdir())",
    "import sys\nprint(sys.argv, file=sys.stderr)\nraise ValueError(sys.argv)",
    "import sys, os\nos.write(2, sys.stdin.buffer.read())\nsys.exit(f'{sys.argv}')",
    "import sys\nfrom argparse import ArgumentParser\nArgumentParser().parse_args()",
    "import sys\n__import__(sys.argv[-1])",
]


@pytest.mark.parametrize("hide", [True, False])
async def test_hidden_cases_are_in_no_prompt(tmp_path: Path, hide: bool) -> None:
    script = tmp_path / "replies.jsonl"
    replies = [{"text": f"```python\n{code}\n```"} for code in PROGRAMS]
    script.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    assay = Assay(model=f"scripted:{script}", attempts=len(PROGRAMS))
    task = Task(
        instructions="Write a program.",
        tests=(TestFile(name=f"{MARK}.toml", source=CASES),),
        hide_tests=hide,
    )
    result = await assay.run(task)
    with closing(assay.open_store()) as store:
        prompts = [reply.messages for reply in store.replies(result.session)]
    sent = "\n".join(message.content for prompt in prompts for message in prompt)
    assert len(prompts) == len(PROGRAMS)
    assert (MARK in sent) is not hide
    assert "from standard input" in sent
