"""A program that calls a model's API finds one inside its sandbox, and only there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.sandbox.languages import get_language
from assay.sandbox.protocol import Ending, Job, Run, Sandbox
from assay.sandbox.toolchains import find_toolchain

ASK = """
import json, os, urllib.request
def ask(path, **body):
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + path,
        json.dumps(body).encode() if body else None,
        {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    return urllib.request.urlopen(request, timeout=5).read().decode()
"""
HELLO = "messages=[{'role': 'user', 'content': 'hello'}]"


@pytest.fixture
def make(tmp_path: Path) -> Job:
    python = find_toolchain(get_language("python"), Grants(), tmp_path)
    return Job((python.executable, "solution.py"), python, stand_ins=("openai",))


async def run_python(sandbox: Sandbox, job: Job, code: str) -> Run:
    return await sandbox.run(replace(job, files={"solution.py": (ASK + code).encode()}))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("ask('/models')", "stand-in"),
        ("ask('/models/gpt-x')", "gpt-x"),
        (f"ask('/chat/completions', {HELLO})", "stand-in's reply to: hello"),
        (f"ask('/chat/completions', stream=True, {HELLO})", "data: [DONE]"),
        ("ask('/completions', prompt='hello')", "reply to: hello"),
        ("ask('/responses', input='hello')", "reply to: hello"),
        ("ask('/responses', input='hello', stream=True)", "event: response.completed"),
        (f"ask('/chat/completions', response_format={{'type': 'json_object'}}, {HELLO})", "reply"),
        ("len(json.loads(ask('/embeddings', input='a'))['data'][0]['embedding'])", "1536"),
        ("ask('/embeddings', input='a') == ask('/embeddings', input='b')", "False"),
        ("ask('/embeddings', input='a') == ask('/embeddings', input='a')", "True"),
    ],
)
async def test_each_endpoint_answers(sandbox: Sandbox, make: Job, call: str, says: str) -> None:
    run = await run_python(sandbox, make, f"print({call})")
    assert run.ending is Ending.EXITED
    assert run.exit_status == 0, run.stderr.text
    assert says in run.stdout.text
    assert run.stderr.text == ""


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("ask('/nothing', a=1)", 404),
        ("ask('/nothing')", 404),
        ("ask('/chat/completions', a=1)", 400),
        ("ask('/responses', input=3)", 400),
    ],
)
async def test_wrong_requests_are_refused(
    sandbox: Sandbox, make: Job, call: str, status: int
) -> None:
    run = await run_python(sandbox, make, f"{call}")
    assert f"HTTPError: HTTP Error {status}" in run.stderr.text


async def test_the_program_has_no_child_that_it_did_not_make(sandbox: Sandbox, make: Job) -> None:
    run = await run_python(sandbox, make, "os.wait()")
    assert "ChildProcessError" in run.stderr.text


async def test_a_program_in_javascript_finds_it_too(sandbox: Sandbox, tmp_path: Path) -> None:
    language = get_language("javascript")
    node = find_toolchain(language, Grants(), tmp_path)
    code = b"""
fetch(process.env.OPENAI_BASE_URL + "/models").then(r => r.json()).then(m => console.log(m.data))
"""
    job = Job(language.run_command(node, "a.js"), node, {"a.js": code}, stand_ins=("openai",))
    run = await sandbox.run(job)
    assert "stand-in" in run.stdout.text, run.stderr.text


@pytest.mark.slow
async def test_langchain_talks_to_it(sandbox: Sandbox, tmp_path: Path) -> None:
    grants = Grants(requirements="langchain-core\nlangchain-openai\n", stand_ins=("openai",))
    language = get_language("python")
    python = find_toolchain(language, grants, tmp_path)
    code = b"""
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

class Person(BaseModel):
    name: str
    age: int
    tags: list[str]

model = ChatOpenAI(model="gpt-x")
prompt = ChatPromptTemplate.from_template("Tell me about {foo}")
print((prompt | model).invoke({"foo": "bears"}).content)
print("".join(chunk.text for chunk in (prompt | model).stream({"foo": "bears"})))
print(model.with_structured_output(Person).invoke("hello"))
print(model.with_structured_output(Person, method="function_calling").invoke("hello"))
responses = ChatOpenAI(model="gpt-x", use_responses_api=True)
print(responses.invoke("hello").text)
print("".join(chunk.text for chunk in responses.stream("hello")))
"""
    job = Job(
        language.run_command(python, "solution.py"),
        python,
        {"solution.py": code},
        limits=RunLimits(wall_seconds=60, cpu_seconds=60),
        stand_ins=("openai",),
    )
    run = await sandbox.run(job)
    assert run.exit_status == 0, run.stderr.text
    bears = "This is a stand-in's reply to: Tell me about bears"
    person = "name='stand-in' age=1 tags=['stand-in']"
    hello = "This is a stand-in's reply to: hello"
    assert run.stdout.text.splitlines() == [bears, bears, person, person, hello, hello]
