"""Tests and examples in JavaScript run in the solution's own process, and are honest about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from assay.domain.judgement import judge
from assay.domain.verdict import Judged, Outcome, Verdict

Check = Callable[..., dict[str, Verdict]]

ADD = "function add(a, b) { return a + b; }\n"
COMMONJS = f"{ADD}module.exports = {{ add }};\n"
MODULE = f"export {ADD}export default add;\n"
HEAD = "const test = require('node:test'); const assert = require('node:assert');\n"
IMPORTS = f"{HEAD}const {{ add }} = require('./add');\n"
ES_IMPORTS = "import test, { describe, it } from 'node:test'; import assert from 'node:assert';\n"
ADDS = "test('adds', () => assert.strictEqual(add(1, 2), 3));\n"


@pytest.fixture
def run(check: Check) -> Callable[..., Verdict]:
    """Check JavaScript against a test file, or examples, and give their verdict."""

    def of(
        code: str | dict[str, str], tests: str = "", examples: Sequence[str] = (), **more: Any
    ) -> Verdict:
        found = check(
            code,
            tests=tests or None,
            tests_name="add.test.js",
            examples=examples,
            language="javascript",
            **more,
        )
        return found["tests" if tests else "examples"]

    return of


RIGHT = {
    "commonjs": (COMMONJS, IMPORTS + ADDS, 1),
    "module": (MODULE, f"{ES_IMPORTS}import {{ add }} from './add.js';\n{ADDS}", 1),
    "default": (MODULE, f"{ES_IMPORTS}import add from './add.js';\n{ADDS}", 1),
    "commonjs from a module": (
        COMMONJS,
        f"{ES_IMPORTS}import {{ add }} from './add.js';\n{ADDS}",
        1,
    ),
    "in a folder above": (
        COMMONJS,
        f"{HEAD}const {{ add }} = require('../src/add.js');\n{ADDS}",
        1,
    ),
    "names without imports": (ADD, HEAD + ADDS, 1),
    "constants without imports": ("const add = (a, b) => a + b;\n", HEAD + ADDS, 1),
    "names of a module without imports": (MODULE, HEAD + ADDS, 1),
    "plain asserts": (
        COMMONJS,
        "const assert = require('assert');\nconst { add } = require('./add');\n"
        "assert.strictEqual(add(1, 2), 3);\nassert.deepEqual([add(1, 1)], [2]);\n",
        1,
    ),
    "plain asserts after a wait": (
        MODULE,
        "import assert from 'node:assert';\nimport { add } from './add.js';\n"
        "const n = await Promise.resolve(add(1, 2));\nassert.equal(n, 3);\n"
        "setTimeout(() => assert.equal(add(2, 2), 4), 20);\n",
        1,
    ),
    "node:test under other names": (
        COMMONJS,
        f"const t = require('node:test'); {HEAD.split(';')[1]};\n"
        "const { add } = require('./add');\nt('adds', () => assert.equal(add(1, 2), 3));\n"
        "t('adds more', () => assert.equal(add(1, 3), 4));\n",
        2,
    ),
    "node:test and no use of it": (COMMONJS, f"{IMPORTS}assert.equal(add(1, 2), 3);\n", 1),
    "suites, hooks and sub-tests": (
        MODULE,
        f"""{ES_IMPORTS}import {{ before, beforeEach, after }} from 'node:test';
import {{ add }} from './add.js';
describe('add', () => {{
  let n = 0;
  before(() => {{ n = 1; }});
  beforeEach(() => {{ n += 1; }});
  after(() => {{ n = 0; }});
  it('counts', () => assert.equal(add(n, 1), 3));
  it('counts on', async () => {{ await null; assert.equal(add(n, 1), 4); }});
  describe('inside', () => {{ it('waits', (t, done) => setTimeout(done, 5)); }});
  it.skip('is skipped', () => assert.fail());
  it.todo('is to be written');
}});
test('outer', async (t) => {{ await t.test('inner', () => assert.equal(add(0, 0), 0)); }});
for (const n of [1, 2, 3]) test(`number ${{n}}`, () => assert.equal(add(n, 0), n));
""",
        8,
    ),
    "errors and rejections": (
        "class Odd extends Error {}\n"
        "exports.halve = (n) => { if (n % 2) throw new Odd(`${n} is odd`); return n / 2; };\n"
        "exports.later = async (n) => exports.halve(n);\nexports.Odd = Odd;\n",
        f"""{HEAD}const {{ halve, later, Odd }} = require('./halve');
test('throws', () => assert.throws(() => halve(3), {{ message: '3 is odd' }}));
test('is its own', () => assert.throws(() => halve(3), Odd));
test('rejects', async () => assert.rejects(later(3), /odd/));
test('resolves', async () => assert.equal(await later(4), 2));
""",
        4,
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_pass_in_process(run: Callable[..., Verdict], name: str) -> None:
    code, tests, count = RIGHT[name]
    verdict = run(code, tests)
    assert verdict.passed, verdict
    assert verdict.judged is Judged.IN_PROCESS
    assert (verdict.evidence.passed, verdict.evidence.total) == (count, count)
    assert verdict.evidence.compared == 0
    assert judge([verdict], require=None).status == "ran"
    assert judge([verdict], require=None, trust_in_process=True).status == "verified"


WRONG: dict[str, tuple[str, str, str | tuple[str, str]]] = {
    "a value": ("return a - b", ADDS, ("3", "-1")),
    "an error": ("throw new TypeError('no ' + a)", ADDS, "TypeError: no 1 (line 3)"),
    "no name": ("}\nfunction other() {", ADDS.replace("add(", "sub("), "sub is not defined"),
    "an array": (
        "return [a, b]",
        "test('lists', () => assert.deepEqual(add(1, 2), [3]));",
        ("[ 3 ]", "[ 1, 2 ]"),
    ),
    "a rejection": (
        "return Promise.reject(new Error('late'))",
        "test('waits', async () => assert.equal(await add(1, 2), 3));",
        "Error: late",
    ),
    "a sub-test": (
        "return 0",
        "test('outer', async (t) => { await t.test('inner', () => assert.ok(add(1, 2))); });",
        ("true", "0"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs_fail_test_by_test(run: Callable[..., Verdict], name: str) -> None:
    body, tests, said = WRONG[name]
    code = f"function add(a, b) {{ {body}; }}\nmodule.exports = {{ add }};\n"
    verdict = run(code, f"{IMPORTS}{tests}\ntest('fine', () => {{}});")
    assert verdict.outcome is Outcome.FAILED, verdict
    assert verdict.evidence.passed == 1
    failure = verdict.evidence.failures[0]
    assert "test(" in failure.test
    if isinstance(said, tuple):
        assert (failure.expected, failure.got) == said
    else:
        assert said in failure.message


FAKES = {
    "exits at import": "process.exit(0);",
    "exits in a call": "exports.add = () => process.exit(0);",
    "exits soon": "exports.add = () => 3; setImmediate(() => process.exit(0));",
    "ends itself": "process.kill(process.pid, 'SIGKILL');",
    "aborts": "process.abort();",
    "exits well at the end": (
        "exports.add = () => 0; process.on('exit', () => { process.exitCode = 0; });"
        "process.on('exit', () => process.reallyExit(0));"
    ),
    "swallows errors": (
        "exports.add = () => 0; process.on('uncaughtException', () => {});"
        "process.on('unhandledRejection', () => {});"
    ),
    "prints TAP": (
        "exports.add = () => 0; console.log('TAP version 13\\nok 1 - adds\\n1..1\\n# pass 1');"
    ),
    "prints messages": (
        "exports.add = () => 0;"
        "for (const n of [1, 2])"
        ' require("fs").writeSync(n, \'{"test": "adds", "passed": true}\\n\');'
    ),
    "writes to every descriptor": (
        "exports.add = () => 0; const fs = require('fs');"
        "for (let n = 1; n < 64; n++) { try {"
        ' fs.writeSync(n, \'{"test":"adds","passed":true,"nonce":""}\\n{"end":true}\\n\');'
        " } catch {} }"
    ),
    "overwrites the tests": (
        "exports.add = () => 0; const fs = require('fs');"
        "for (const f of fs.readdirSync('.')) { try { fs.writeFileSync(f, ''); } catch {} }"
    ),
    "overwrites the driver": (
        "exports.add = () => 0; const fs = require('fs');"
        "for (const f of fs.readdirSync('/assay')) {"
        " try { fs.writeFileSync('/assay/' + f, ''); } catch {} }"
    ),
    "pollutes prototypes": (
        "exports.add = () => 0; Object.prototype.passed = true; Object.prototype.skip = false;"
        "Object.prototype.toJSON = function () { return { test: 'adds', passed: true }; };"
    ),
    "replaces JSON and write": (
        "exports.add = () => 0; JSON.stringify = () => '{}';"
        "require('fs').writeSync = () => 0; Object.assign = (a) => a;"
    ),
    "never ends": "exports.add = () => { for (;;) {} };",
    "keeps the process up": "exports.add = () => 3; setInterval(() => {}, 1000);",
    "defines no test": "require('node:test').test = () => {}; process.exit(0);",
    "is another's": "exports.add = class {};",
    "exports nothing": "",
    "does not parse": "exports.add = (",
}


@pytest.mark.parametrize("name", FAKES)
@pytest.mark.parametrize("style", ["node:test", "plain"])
def test_fakes_do_not_pass(run: Callable[..., Verdict], name: str, style: str) -> None:
    tests = IMPORTS + (ADDS if style == "node:test" else "assert.strictEqual(add(1, 2), 3);\n")
    verdict = run({"solution.js": FAKES[name]}, tests, wall_seconds=2)
    assert not verdict.passed, verdict
    assert judge([verdict], require=None, trust_in_process=True).status == "unverified"


def test_tests_that_were_not_heard_of_have_failed(run: Callable[..., Verdict]) -> None:
    tests = f"{IMPORTS}if (add(1, 2) === 4) {{ test('never', () => {{}}); }}\n{ADDS}"
    verdict = run(COMMONJS, tests)
    assert verdict.outcome is Outcome.FAILED
    (failure,) = verdict.evidence.failures
    assert (failure.test, failure.message) == ("never", "it was not run")


def test_a_package_that_is_missing_is_said(run: Callable[..., Verdict]) -> None:
    verdict = run(COMMONJS, f"{IMPORTS}const _ = require('lodash');\n{ADDS}")
    assert verdict.outcome is Outcome.COULD_NOT_RUN
    assert verdict.evidence.missing == ("lodash",)


def test_examples_that_hold_and_that_do_not(run: Callable[..., Verdict]) -> None:
    code = (
        "const twice = (list) => list.map((n) => 2 * n);\nasync function later(n) { return n; }\n"
        "class Acc { constructor() { this.n = 0; } add(n) { this.n += n; return this; } }\n"
        "module.exports = { twice };\n"
    )
    right = [
        "twice([1, 2]) == [2, 4]",
        "twice([1]).length === 1",
        "later(3) === 3",
        "await later(3) === 3",
        "new Acc().add(2).n === 2",
        "later('a === b') === \"a === b\"",
        "twice([]).length === 0 && twice([1])[0] === 2",
        "JSON.stringify(twice([1])) === '[2]'",
        "isNaN(twice([NaN])[0])",
    ]
    verdict = run(code, examples=right)
    assert verdict.passed, verdict
    assert (verdict.judged, verdict.evidence.total) == (Judged.IN_PROCESS, len(right))
    wrong = ["twice([1]) == [3]", "twice([1])", "nope(1) === 2", "twice([1]", "later(1)"]
    verdict = run(code, examples=[*wrong, right[0]])
    assert (verdict.evidence.passed, verdict.evidence.failed) == (1, len(wrong))
    said = [(one.expected, one.got or one.message) for one in verdict.evidence.failures]
    assert said[:3] == [
        ("[ 3 ]", "[ 2 ]"),
        ("true", "[ 2 ]"),
        ("", "ReferenceError: nope is not defined"),
    ]
    assert said[3][1].startswith("SyntaxError")
    assert said[4] == ("true", "1")


@pytest.mark.parametrize("body", ["process.exit(0)", "throw 1", "for (;;) {}"])
def test_examples_are_not_passed_by_ending_early(run: Callable[..., Verdict], body: str) -> None:
    code = f"function add() {{ {body}; }}\n"
    verdict = run(code, examples=["add(1, 2) === 3", "add(1, 3) === 4"], wall_seconds=2)
    assert not verdict.passed
    assert (verdict.evidence.passed, verdict.evidence.failed) == (0, 2)
