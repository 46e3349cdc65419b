// Inside the sandbox: runs tests or examples in JavaScript in the solution's own process.
//
// Reads `tests.json` beside it: the solution, what to run, and a nonce that each message carries.
// Node.js loads this file a second time, as the reporter of node:test. What is reported here can be
// forged by code that sets out to; a program that merely exits, prints or writes files does not
// pass.

import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect, isDeepStrictEqual } from "node:util";
import { runInThisContext, Script } from "node:vm";

// Taken before any code of the solution runs, which may replace them later.
const { stringify } = JSON;
const { create, assign, entries } = Object;
const write = writeSync;
const show = inspect;
const equal = isDeepStrictEqual;
const Bytes = Buffer;

const MAX_SHOWN = 2000;
const SHOWN = {
  breakLength: Infinity,
  customInspect: false,
  depth: 4,
  maxArrayLength: 50,
  maxStringLength: 1000,
};

const here = dirname(fileURLToPath(import.meta.url));
const plan = JSON.parse(readFileSync(resolve(here, "tests.json"), "utf8"));
const channel = Number(process.env.ASSAY_CHANNEL);
const testFile = plan.file && resolve(plan.file);
const testLines = testFile ? readFileSync(testFile, "utf8").split("\n") : [];

let reporting = false;

function report(message) {
  // Without a prototype, so that one which the solution has changed adds nothing.
  let bytes = Bytes.from(`${stringify(assign(create(null), message, { nonce: plan.nonce }))}\n`);
  while (bytes.length > 0) bytes = bytes.subarray(write(channel, bytes));
}

async function main() {
  if (plan.preload) await loadSolution();
  if (plan.examples) {
    for (const text of plan.examples) await runExample(text);
    report({ end: true });
    process.exit(0);
  }
  if (plan.style === "plain") {
    report({ begin: plan.name });
    // Not before all that the tests wait for has come.
    process.once("beforeExit", () => {
      if (reporting) return;
      report({ test: plan.name, passed: true });
      report({ end: true });
    });
  }
  await import(pathToFileURL(testFile).href);
}

// Tests that import nothing find what the solution defines, exported or not, as global names.
async function loadSolution() {
  const file = resolve(plan.solution);
  if (plan.isModule) {
    publish(await import(pathToFileURL(file).href));
    return;
  }
  const module = { exports: {} };
  const names = { module, exports: module.exports, require: createRequire(file) };
  assign(globalThis, names, { __filename: file, __dirname: dirname(file) });
  runInThisContext(readFileSync(file, "utf8"), { filename: file });
  publish(module.exports);
}

function publish(exports) {
  for (const [name, value] of entries(exports ?? {})) {
    const known = name === "default" ? value?.name : name;
    if (known && !(known in globalThis)) globalThis[known] = value;
  }
}

async function runExample(text) {
  report({ begin: text });
  try {
    const sides = splitComparison(text);
    if (!sides) {
      const value = await evaluate(text);
      const passed = value === true;
      report({ test: text, passed, expected: passed ? "" : "true", got: passed ? "" : shown(value) });
      return;
    }
    const left = await evaluate(sides[0]);
    const right = await evaluate(sides[1]);
    const passed = left === right || equal(left, right);
    report({
      test: text,
      passed,
      expected: passed ? "" : shown(right),
      got: passed ? "" : shown(left),
    });
  } catch (error) {
    report({ test: text, passed: false, ...describe(error) });
  }
}

function evaluate(text) {
  return runInThisContext(`(async () => (${text}\n))()`, { filename: "example" });
}

// The two sides of `f(1) === 2`, null where the text is another expression.
function splitComparison(text) {
  let bare = text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g, '""');
  for (let before = null; before !== bare; ) {
    before = bare;
    bare = bare.replace(/\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}/g, "");
  }
  if (!/^[^=!<>&|?,]+={2,3}[^=!<>&|?,]+$/.test(bare)) return null;
  for (const { 0: operator, index } of text.matchAll(/={2,3}/g)) {
    const sides = [text.slice(0, index), text.slice(index + operator.length)];
    if (sides.every(isExpression)) return sides;
  }
  return null;
}

function isExpression(text) {
  try {
    new Script(`(async () => (${text}\n))`);
    return text.trim() !== "";
  } catch {
    return false;
  }
}

function shown(value) {
  return cut(show(value, SHOWN));
}

function cut(text) {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`;
}

// What is reported of an error: the sides of a comparison, or its message.
function describe(thrown) {
  const error = thrown?.code === "ERR_TEST_FAILURE" && thrown.cause ? thrown.cause : thrown;
  const { call, place } = findPlace(error);
  const missing = missingModule(error);
  if (error?.code === "ERR_ASSERTION" && /equal|^[!=]=$/i.test(error.operator)) {
    const anything = /^(?:not|!)/i.test(error.operator) ? "anything but " : "";
    const message = error.generatedMessage ? "" : cut(String(error.message));
    const sides = { expected: anything + shown(error.expected), got: shown(error.actual) };
    return { call, message, ...sides, missing };
  }
  return { call, message: cut(messageOf(error) + place), missing };
}

function messageOf(error) {
  if (!(error instanceof Error)) return typeof error === "string" ? error : shown(error);
  const lines = `${error.name}: ${error.message}`.split("\n").filter((line) => line.trim());
  return lines.slice(0, 2).join(" ");
}

// Where in the test file an error was thrown.
function findPlace(error) {
  const at = testFile ? String(error?.stack ?? "").split(`${testFile}:`)[1] : undefined;
  const number = at === undefined ? Number.NaN : Number.parseInt(at, 10);
  const line = testLines[number - 1]?.trim();
  return line ? { call: cut(line), place: ` (line ${number})` } : { call: "", place: "" };
}

function missingModule(error) {
  if (error?.code !== "MODULE_NOT_FOUND" && error?.code !== "ERR_MODULE_NOT_FOUND") return "";
  const name = /^Cannot find (?:module|package) '([^']+)'/.exec(error.message)?.[1] ?? "";
  return /^[./]/.test(name) ? "" : name;
}

// The reporter of node:test: passes events on, and yields nothing to be printed.
export default async function* reporter(events) {
  reporting = true;
  const names = [];
  for await (const { type, data } of events) {
    if (type === "test:start") {
      names.length = data.nesting;
      names.push(data.name);
    } else if (type === "test:pass" || type === "test:fail") {
      const test = [...names.slice(0, data.nesting), data.name].join(" > ");
      reportTest(test, type === "test:pass", data);
    }
  }
  report({ end: true });
}

function reportTest(test, passed, data) {
  const reason = data.skip ?? data.todo;
  if (reason !== undefined && reason !== false) {
    report({ test, skipped: typeof reason === "string" ? cut(reason) : "" });
    return;
  }
  const { error, type } = data.details ?? {};
  if (type === "suite" && (passed || error?.failureType === "subtestsFailed")) {
    return; // it is no test itself, and its tests have been reported
  }
  report({ test, passed, ...(passed ? {} : describe(error)) });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    const described = describe(error);
    if (plan.style === "plain") report({ test: plan.name, passed: false, ...described });
    else report({ broken: described });
    process.exit(1);
  });
}
