// Inside the sandbox: says for each module that the solution names whether it can be found.
// Reads `imports.json` beside it: [{ file, specifier }], paths in the working folder.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");

const channel = Number(process.env.ASSAY_CHANNEL);
const plan = JSON.parse(fs.readFileSync(path.join(__dirname, "imports.json"), "utf8"));

function send(message) {
  fs.writeSync(channel, JSON.stringify(message) + "\n");
}

for (const { file, specifier } of plan.imports) {
  const base = path.resolve(file);
  try {
    const found = createRequire(base).resolve(specifier);
    send({ file, specifier, found });
  } catch (error) {
    send({ file, specifier, error: String(error.message).split("\n")[0], code: error.code ?? "" });
  }
}
send({ end: true });
