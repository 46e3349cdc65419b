"""A question about a library, answered from its documentation by code that calls a model.

The first scripted reply makes the usual mistake (it adds a string to the whole dictionary); the
run shows it, the error goes back, and the second reply is shown to run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

QUESTION = (
    "I am passing text key 'foo' to my prompt and want to process it with a function, "
    "process_text(...), prior to the prompt. How can I do this using LCEL?"
)

PROGRAM = """\
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI

def process_text(text):
    return text.strip().upper()

prompt = ChatPromptTemplate.from_template("Say something about {foo}")
chain = FIRST | prompt | ChatOpenAI() | StrOutputParser()
print("answer:", chain.invoke({"foo": " bears "}))
"""


def reply(first: str) -> str:
    return f"Like this.\n\n```python\n{PROGRAM.replace('FIRST', first)}```\n"


WRONG = reply("RunnableLambda(lambda inputs: process_text(inputs + ''))")
RIGHT = reply("{'foo': RunnableLambda(lambda inputs: process_text(inputs['foo']))}")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_mistake_is_shown_and_corrected(
    assay: Assay, script: Script, data_folder: Path, tmp_path: Path
) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("langchain-core\nlangchain-openai\n")
    model = script([WRONG, {"text": RIGHT, "expect": "TypeError: unsupported operand"}])
    done = assay(
        "ask", QUESTION, "--docs", data_folder / "lcel_docs", "--requirements", requirements,
        "--stand-in", "openai", "--model", model, "--run-timeout", "60", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    answer = done.json
    assert answer["status"] == "ran"
    first, second = (
        {verdict["check"]: verdict for verdict in attempt["verdicts"]}
        for attempt in answer["attempts"]
    )
    assert first["imports"]["outcome"] == "passed"
    assert first["execution"]["outcome"] == "failed"
    assert "TypeError" in first["execution"]["evidence"]["summary"]
    assert second["execution"]["outcome"] == "passed"
    assert "answer:" in second["execution"]["evidence"]["stdout"]
    again = assay("verify", answer["receipt"])
    assert again.status == 0, again.err
