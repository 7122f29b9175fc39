// The bench says for every target whether it is met, and marks those that were not measured.

import assert from "node:assert/strict";
import { test } from "node:test";
import { table } from "../../bench/src/markdown.mjs";
import { mustHold, report } from "../../bench/src/report.mjs";
import { targets } from "../../bench/src/targets.mjs";

/** The verdict on the target whose name begins with this text. */
const verdict = (parts, beginning) => targets(parts).find(({ what }) => what.startsWith(beginning));

const vocabulary = (bytes) => ({
  rows: ["vocabulary o200k_base, whole", "vocabulary, ASCII shard", "estimator, module and glue"].map((name) => ({
    name: `epitome: ${name}`,
    brotli: bytes,
  })),
});

const throughput = (ours) => ({
  rows: [
    { kind: "code", first: { epitome: ours, "gpt-tokenizer": 1 }, warm: { epitome: ours, "gpt-tokenizer": 2 } },
    { kind: "json", first: { epitome: 4 * ours, "gpt-tokenizer": 1 }, warm: { epitome: 4 * ours, "gpt-tokenizer": 2 } },
  ],
});

test("a target that was not measured is open, and stays in the table", () => {
  const open = targets({});
  assert.ok(open.length >= 25);
  assert.ok(open.every(({ met, measured }) => met === undefined && measured === "not measured"));
  assert.equal(mustHold({}).split("\n").length, open.length + 2);
});

test("a limit is met up to and including its value", () => {
  assert.equal(verdict({ sizes: vocabulary(770_000) }, "vocabulary o200k_base").met, true);
  assert.equal(verdict({ sizes: vocabulary(770_001) }, "vocabulary o200k_base").met, false);
});

test("ratios are averaged as ratios, and every condition of a target has to hold", () => {
  const met = verdict({ counting: throughput(5) }, "exact against gpt-tokenizer");
  assert.deepEqual([met.measured, met.met], ["10.0 ×; 5.0 ×", true]);
  const missed = verdict({ counting: throughput(4.5) }, "exact against gpt-tokenizer");
  assert.deepEqual([missed.measured, missed.met], ["9.0 ×; 4.5 ×", false]);
});

test("a target stays open if one of its contestants is missing", () => {
  assert.equal(verdict({ counting: throughput(5) }, "exact against bpe-openai").met, undefined);
});

test("the page names the versions that were measured, and which parts were measured quickly", () => {
  const page = report({
    date: "2030-01-02",
    machine: "2 cores",
    versions: { tokenx: "2.2.0" },
    parts: {
      sizes: { rows: [...vocabulary(1).rows, { name: "tokenx", bytes: 2405, gzip: 1243, brotli: 1068, quality: 11 }] },
    },
    measuredBy: { sizes: "quick" },
  });
  assert.match(page, /2030-01-02\. 2 cores\. tokenx 2\.2\.0\./);
  assert.match(page, /kB\. A quick run/);
  assert.match(page, /\| tokenx +\| +2\.4 \| +1\.2 \| +1\.1 \| +11 \|/);
});

test("a table is padded, and a vertical bar in a cell does not end its column", () => {
  assert.equal(
    table(["what", "how many"], [["a|b", 1]]),
    ["| what | how many |", "| ---- | -------: |", "| a\\|b |        1 |"].join("\n"),
  );
});
