"""Hidden tests: nothing of them, nor of what their runs said, reaches a model."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from assay import Assay, Task
from assay.domain.task import TestFile

MARK = "zebra"
"""Stands in every part of the hidden test file, and nowhere else."""

TESTS = f'''
"""The {MARK} module."""
import pytest
from calc import add

{MARK}_value = "{MARK}"

@pytest.fixture
def {MARK}_fixture():
    print("{MARK}")
    return "{MARK}"

def test_{MARK}({MARK}_fixture):
    """About the {MARK}."""
    assert add({MARK}_fixture, 1) == "{MARK}1", "a message of the {MARK}"

@pytest.mark.parametrize("given", ["{MARK}", 3], ids=["{MARK}", "three"])
def test_more(given):
    # The {MARK} again.
    assert add(given, given) == given

def test_error():
    with pytest.raises(KeyError, match="{MARK}"):
        add("{MARK}", None)

class Test{MARK.title()}:
    def test_raises_{MARK}(self):
        raise RuntimeError("{MARK}")
'''

PLAIN = (
    f'{MARK} = "{MARK}"\nassert add({MARK}, 1) == "{MARK}1", "of the {MARK}"\nadd({MARK}.x, 1)\n'
)

BODIES = [
    "print(a, b)\n    return a",
    "print(a, b, file=sys.stderr)\n    raise ValueError(f'{a} {b}')",
    "os.write(1, repr(a).encode())\n    os.write(2, repr(a).encode())\n    sys.exit(f'{a}')",
    "return Shown(a)",
    "traceback.print_stack()\n    print(sys._getframe(1).f_code, sys._getframe(1).f_globals)",
    "print([o for o in gc.get_objects() if type(o) is dict])",
    "os._exit(3)",
]
SOLUTIONS = [
    "import gc, os, sys, traceback\nclass Shown:\n    def __init__(self, a): self.a = a\n"
    f"    def __repr__(self): return str(self.a)\ndef add(a, b):\n    {body}"
    for body in BODIES
]


@pytest.mark.parametrize("source", [TESTS, PLAIN], ids=["pytest", "plain"])
@pytest.mark.parametrize(
    ("flow", "reflect"),
    [("single", False), ("correct", False), ("correct", True), ("team", False), ("team", True)],
)
async def test_nothing_of_hidden_tests_is_in_any_prompt(
    tmp_path: Path, source: str, flow: str, reflect: bool
) -> None:
    replies = []
    for code in SOLUTIONS:
        replies.append({"text": f"```python\n{code}\n```"})
        replies += [{"text": "It is wrong."}] * reflect
    # A critic has nothing to say of the last attempt, which the Manager of a team closes.
    replies += [{"text": "It is wrong."}] * (flow == "team")
    script = tmp_path / "replies.jsonl"
    script.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    assay = Assay(model=f"scripted:{script}", flow=flow, attempts=len(SOLUTIONS))
    task = Task(
        instructions="Write add(a, b).",
        tests=(TestFile(name=f"test_{MARK}.py", source=source),),
        hide_tests=True,
        reflect=reflect,
    )

    result = await assay.run(task)

    with closing(assay.open_store()) as store:
        prompts = [reply.messages for reply in store.replies(result.session)]
    sent = "\n".join(message.content for prompt in prompts for message in prompt)
    if flow == "correct":
        assert len(prompts) >= len(SOLUTIONS)
        assert "The check of hidden tests failed: " in sent
    assert MARK not in sent.lower()
    attempts = result.answer.attempts
    assert MARK in "".join(attempt.model_dump_json() for attempt in attempts)  # the control
