"""A tape gives what was recorded to the same prompts, and says what is another prompt."""

from __future__ import annotations

from typing import Any

import pytest

from assay.domain.answer import Answer, Status
from assay.domain.event import Text
from assay.errors import BadInput, ModelFailed, TapeError, UsageError
from assay.models.catalog import open_model
from assay.models.model import usage_of
from assay.models.tape.opening import open_taped, with_remarks
from assay.models.tape.secrets import MARK, Secrets

Rig = Any
Line = Any


async def test_replies_and_errors_come_again_and_cost_nothing(rig: Rig) -> None:
    model = await rig.recording({"text": "one"}, {"error": 400, "text": "no"}, {"text": ""})
    first = await rig.ask(model, seed=1)
    with pytest.raises(ModelFailed) as refused:
        await rig.ask(model, "another", temperature=0.7)
    third = await rig.ask(model)
    await model.aclose()

    rig.progress.clear()
    played = rig.playing()
    assert played.name == f"replay:{model.name}"
    assert played.context_tokens == model.context_tokens
    again = await rig.ask(played, seed=1)
    assert (again.text, again.finish_reason, again.model) == ("one", "stop", model.name)
    assert again.usage.tokens == first.usage.tokens
    assert (again.usage.calls, again.usage.cost, again.usage.seconds) == (1, 0.0, 0.0)
    assert rig.progress == [Text(text="one")]
    with pytest.raises(ModelFailed) as refused_again:
        await rig.ask(played, "another", temperature=0.7)
    assert refused_again.value.message == refused.value.message
    assert usage_of(refused_again.value).calls == 1
    assert (await rig.ask(played)).text == third.text == ""
    assert played.left == 0
    await played.aclose()


async def test_another_prompt_is_shown_beside_the_recorded_one(rig: Rig, line: Line) -> None:
    rig.write(line(), line())
    played = rig.playing()
    await rig.ask(played)
    with pytest.raises(TapeError) as raised:
        await rig.ask(played, "another prompt", seed=7, temperature=0.5)
    said = raised.value.message
    assert said.startswith(f"Call 2 of the tape {rig.path} was recorded with another prompt")
    assert said.split("\n", 1)[1] == (
        "temperature was 0.0 and is now 0.5\n"
        "seed was None and is now 7\n"
        "--- on the tape\n"
        "+++ asked now\n"
        " [user]\n"
        "-a prompt\n"
        "+another prompt"
    )
    assert isinstance(raised.value, UsageError)
    assert played.left == 1


async def test_a_key_may_be_another_one_where_the_tape_is_played(rig: Rig) -> None:
    model = await rig.recording({"text": "ok"}, secrets=Secrets(("first-key",)))
    await rig.ask(model, "use first-key")
    await model.aclose()
    assert (await rig.ask(rig.playing(Secrets(("second",))), "use second")).text == "ok"
    assert (await rig.ask(rig.playing(), f"use {MARK}")).text == "ok"
    with pytest.raises(TapeError):
        await rig.ask(rig.playing(), "use second")


async def test_a_tape_that_is_over_says_why(rig: Rig, line: Line) -> None:
    rig.write(line())
    played = rig.playing()
    await rig.ask(played)
    with pytest.raises(TapeError, match=r"has 1 call, and one more .* ended there: stopped"):
        await rig.ask(played)
    rig.write(line(), line(), line()[:20])
    played = rig.playing()
    await rig.ask(played)
    await rig.ask(played)
    with pytest.raises(TapeError, match=r"has 2 calls, and one more .* cut off there"):
        await rig.ask(played)


async def test_what_was_not_asked_for_is_told(rig: Rig, line: Line) -> None:
    answer = Answer(status=Status.RAN, headline="", has_required_evidence=True)
    rig.write(line(), line(), line())
    played = rig.playing()
    await rig.ask(played)
    (advice,) = with_remarks(answer, played).advice
    assert "with 2 calls of the tape not asked for" in advice
    await rig.ask(played)
    await rig.ask(played)
    assert with_remarks(answer, played) == answer


async def test_a_tape_is_either_written_or_played(rig: Rig, line: Line) -> None:
    async def never() -> Any:
        raise AssertionError("no model is opened")

    rig.write(line())
    taped: dict[str, Any] = {"record": rig.folder / "new", "replay": rig.path}
    with pytest.raises(BadInput, match="either recorded or replayed"):
        await open_taped(never, secrets=Secrets(), **taped)
    with pytest.raises(TapeError, match="is there already"):
        await open_taped(never, record=rig.path, replay=None, secrets=Secrets())
    model = await open_taped(never, record=None, replay=rig.path, secrets=Secrets())
    assert model.name == "replay:a:b"


async def test_a_played_model_cannot_be_asked_by_its_name(rig: Rig) -> None:
    with pytest.raises(TapeError, match=r"played from a tape.*assay ask --replay FILE"):
        await open_model("replay:a:b", base_url=None, cache_folder=rig.folder, allow_calls=True)
