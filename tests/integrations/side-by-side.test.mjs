// Tool loops that overflow, played again by other packages and by this one: see side-by-side/.

import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates } from "../side-by-side/candidates.mjs";
import { compare } from "../side-by-side/comparing.mjs";
import { recordedLoops, writtenLoop } from "../side-by-side/loops.mjs";
import { skip } from "../node/recordings.mjs";
import { lookUp, question } from "./scripted-model.mjs";

/** Longer ones take minutes. */
const MOST_CHARACTERS = 150_000;

/** Plays loops by all candidates, and returns what came of them: ours, and other packages. */
async function played(loops) {
  const rows = await compare(loops, candidates);
  for (const row of rows) {
    assert.deepEqual(row.failures, [], row.name);
    assert.equal(row.requests, rows[0].requests, `${row.name} has played all of each loop`);
  }
  assert.ok(rows[0].overWindow > 0, "without a compaction they are too long");
  return { ours: rows.filter(({ isOurs }) => isOurs), peers: rows.slice(1).filter(({ isOurs }) => !isOurs) };
}

function assertLegalWithMostFacts({ ours, peers }) {
  for (const { name, refused, overWindow, kept } of ours) {
    assert.deepEqual([refused, overWindow], [0, 0], name);
    for (const peer of peers) {
      assert.ok(kept >= peer.kept, `${name} keeps ${kept} of the facts, and ${peer.name} ${peer.kept}`);
    }
  }
}

test("m4: in a written tool loop no request is refused or over the window, and more facts stay than with other packages", async () => {
  assertLegalWithMostFacts(await played([writtenLoop({ turns: 4, rounds: 8, question, lookUp })]));
});

test("m4: so it is in recorded ones, and a policy that is short sends no more tokens than any other package", { skip }, async () => {
  const { ours, peers } = await played(recordedLoops().filter((loop) => JSON.stringify(loop).length < MOST_CHARACTERS));
  assertLegalWithMostFacts({ ours, peers });
  const { tokens } = ours.find(({ isShort }) => isShort);
  for (const peer of peers) {
    assert.ok(tokens <= peer.tokens, `${tokens} tokens, and ${peer.name} ${peer.tokens}`);
  }
});
