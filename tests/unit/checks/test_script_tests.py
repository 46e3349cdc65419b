"""Test files in JavaScript are read as far as that is unmistakable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.script_tests import (
    ScriptStyle,
    ScriptTests,
    is_es_module,
    parse_script_examples,
    parse_script_tests,
)
from assay.domain.task import TestFile
from assay.errors import BadInput

NODE_TEST = """
const test = require('node:test');
const { describe, it } = test;
const assert = require("node:assert/strict");
const { add } = require('./lib/add');
// test('in a comment', () => {});
/* it("in another", () => {}); */
test('adds', () => assert.equal(add(1, 2), 3));
test.only("adds // more", async () => { assert.ok(/x/.test("test(\"y\")")); });
describe('a suite', () => {
  it(`works`, () => {});
  it.skip('is skipped', () => {});
  for (const n of [1, 2]) it(`number ${n}`, () => {});
  it('it\\'s escaped', () => {});
});
"""


def parse(source: str, name: str = "t.js") -> ScriptTests:
    return parse_script_tests(TestFile(name=name, source=source))


def test_names_that_stand_in_it_are_known() -> None:
    tests = parse(NODE_TEST)
    assert tests.style is ScriptStyle.NODE_TEST
    assert tests.tests == ("adds", "adds // more", "works")
    assert tests.imports == ("./lib/add",)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import { add } from './add.mjs';", ("./add.mjs",)),
        ('import add from "../src/add.js";', ("../src/add.js",)),
        ("import './add.js'", ("./add.js",)),
        ("const m = await import('./add.js');", ("./add.js",)),
        ("const m = require( './add' );", ("./add",)),
        ("import fs from 'fs'; require('node:fs');", ()),
        ("// require('./add')", ()),
        ("const s = \"it's\"; require('./a'); // './b'", ("./a",)),
    ],
)
def test_relative_imports_are_found(line: str, found: tuple[str, ...]) -> None:
    tests = parse(f"{line}\nassert(true)")
    assert (tests.style, tests.tests, tests.imports) == (ScriptStyle.PLAIN, ("t.js",), found)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "holds no test"),
        ("console.log(1)", "holds no test"),
        ("// assert(1)", "holds no test"),
        ("import test from 'node:test';", "holds no test"),
        ("import t from 'node:test'; t('x', () => { f(1); });", "holds no test"),
        ("test('x', () => { expect(f(1)).toBe(2); });", "not for node:test"),
        ("describe('x', () => { it('y', () => {}); });", "not for node:test"),
        (f"import '{'../' * 30}add.js'; assert(1)", "too far up"),
    ],
)
def test_what_holds_no_test_that_can_be_run_is_refused(source: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(source)
    assert said in caught.value.message


@given(st.text(alphabet="test('`\"/*.require)$\\\n \u00e9", max_size=300))
def test_any_text_is_read_in_time(source: str) -> None:
    for text in (source, f"'node:test' test('x') {source}", f"assert {source * 200}"):
        try:
            tests = parse(text)
        except BadInput:
            continue
        assert tests.style in ScriptStyle


def test_modules_are_told_by_their_statements() -> None:
    assert is_es_module("import a from 'b';")
    assert is_es_module("const x = 1;\nexport default x;")
    assert not is_es_module("const a = import('b'); // export")
    assert not is_es_module("import('a')")


def test_examples_are_tests() -> None:
    tests = parse_script_examples(["add(1, 2) === 3", "[f(1)].length == 1"])
    assert tests.style is ScriptStyle.EXAMPLES
    assert tests.tests == ("add(1, 2) === 3", "[f(1)].length == 1")
    with pytest.raises(BadInput, match="calls nothing"):
        parse_script_examples(["1 === 1"])
