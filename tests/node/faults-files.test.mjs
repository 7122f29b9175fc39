// What a fault in loading a file may do to a conversation: nothing. One table: each file that the package loads while an app
// runs × each fault × each phase. A file that was loaded stays loaded, so each door fails in all ways before it loads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";
import { createCompactor, isEpitomeError, loadEncoding, loadTokenizer, validate } from "epitome";
import { createCompactor as createSlim, init } from "epitome/slim";
import { serve } from "./doors.mjs";
import { faulty } from "./faults.mjs";
import { FILE_FAULTS } from "./file-faults.mjs";
import { longChat } from "./fixtures.mjs";
import { tokenizerFile } from "./tokenizer-file.mjs";

const PACKAGE = new URL("../../crates/epitome-wasm/npm/", import.meta.url);
const VOCABULARY = readFileSync(new URL("encodings/cl100k_base.vocab", PACKAGE));
const OTHER = readFileSync(new URL("encodings/o200k_base.ascii.vocab", PACKAGE));
const MODULE = readFileSync(new URL("dist/glue/epitome_bg.wasm", PACKAGE));
const COUNTER = readFileSync(new URL("dist/glue/count_bg.wasm", PACKAGE));
const TOKENIZER = JSON.stringify(tokenizerFile("a b", "ab c"));

/** The files: how each is loaded from an address, and what an app does that needs it. */
const DOORS = [
  {
    name: "a vocabulary",
    file: VOCABULARY,
    other: OTHER,
    load: (address) => loadEncoding("cl100k_base", address),
    codes: ["encoding-unavailable", "invalid-vocabulary"],
    counting: { encoding: "cl100k_base" },
  },
  {
    name: "a tokenizer",
    file: Buffer.from(TOKENIZER),
    other: Buffer.from('{"model":{"type":"Unigram","vocab":[]}}'),
    load: (address) => loadTokenizer("mine", address),
    codes: ["encoding-unavailable", "invalid-vocabulary"],
    counting: { tokenizer: "mine" },
    // It may be another tokenizer, which is as good.
    spares: ["wrong: a bit"],
  },
];

async function assertFails(act, { codes, file, other, load }, fault) {
  const server = await faulty(act === undefined ? undefined : (asked) => act(asked, file, other), {});
  const error = await load(new URL("file", server.baseURL)).then(() => undefined, (thrown) => thrown);
  server.close();
  assert.ok(isEpitomeError(error), `${fault}: ${inspect(error)}`);
  assert.ok(codes.includes(error.code), `${fault}: ${error.code}: ${error.message}`);
  assert.ok(error.message.length > 20, error.message);
}

// First, because the other tests load it too.
test("j23: a module that cannot be loaded, in whatever way, is named, and the next try loads it", async () => {
  const door = { file: MODULE, other: COUNTER };
  // With one bit changed, it may be another module, which is as good.
  const spares = [/^absent/, /before the answer/, /^wrong: a bit$/];
  for (const { fault, act } of FILE_FAULTS.filter(({ fault }) => !spares.some((spared) => spared.test(fault)))) {
    const server = await faulty((asked) => act(asked, door.file, door.other), {});
    const error = await fetch(new URL("file", server.baseURL)).then(init).then(() => undefined, (thrown) => thrown);
    server.close();
    assert.ok(isEpitomeError(error), `${fault}: ${inspect(error)}`);
    assert.equal(error.code, "not-loaded", fault);
  }
  const well = await serve(({ response }) => response.writeHead(200, { "content-type": "application/wasm" }).end(MODULE));
  await Promise.all([init(await fetch(well.origin)), init(await fetch(well.origin))]);
  well.close();
  const compactor = await createSlim({ format: "openai-chat", policy: { window: 1_000 }, summarize: () => "They planned the garden." });
  compactor.append(longChat(60));
  assert.equal((await compactor.compact()).outcome, "applied");
  compactor.dispose();
});

for (const door of DOORS) {
  const { name, file, load, counting, spares = [] } = door;
  const rows = FILE_FAULTS.filter(({ fault }) => !spares.includes(fault));
  test(`j23: ${name} that cannot be loaded, in whatever way, changes nothing, and the next try loads it`, async () => {
    const policy = { window: 1_000, retry: { attempts: 1 } };
    const messages = longChat(60);
    let during = () => {};
    const summarize = async () => {
      await during();
      return "They planned the garden.";
    };
    const compactor = await createCompactor({ format: "openai-chat", policy, summarize });
    compactor.append(messages);
    const tokens = compactor.status().tokens;
    const assertNotCounted = () => assert.throws(() => compactor.setPolicy({ ...policy, counting }), { code: "encoding-not-loaded" });
    for (const { fault, act } of rows) {
      // Before a compaction, during one, and after its commit.
      await assertFails(act, door, fault);
      assertNotCounted();
      during = async () => {
        await assertFails(act, door, fault);
        assertNotCounted();
      };
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied", `${fault}: ${report.message}`);
      await assertFails(act, door, fault);
      assert.equal(compactor.status().tokens, report.tokensAfter);
      assert.deepEqual(await validate(compactor.messages(), "openai-chat"), []);
      compactor.undo();
      assert.equal(compactor.status().tokens, tokens);
      assert.ok(compactor.messages().every((message, index) => message === messages[index]), "the same objects");
    }
    // Late, and asked for twice at once.
    const late = await serve(({ response }) => setTimeout(() => response.writeHead(200).end(file), 50));
    await Promise.all([load(new URL(late.origin)), load(new URL(late.origin))]);
    late.close();
    compactor.setPolicy({ ...policy, counting });
    assert.notEqual(compactor.status().tokens, 0);
    during = () => {};
    assert.equal((await compactor.compact({ reason: "manual" })).outcome, "applied");
    compactor.dispose();
  });
}
