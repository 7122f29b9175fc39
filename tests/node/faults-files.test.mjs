// A fault in loading a file changes no conversation. The tests cover each file that the package loads while an app runs, each
// fault and each phase. A loaded file stays loaded, so each loader fails in all ways before it succeeds.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";
import { createCompactor, isEpitomeError, loadEncoding, loadTokenizer, validate } from "epitome";
import { createCompactor as createSlim, init } from "epitome/slim";
import { serve } from "./clients.mjs";
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
const LOADERS = [
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
    // The changed file may be a valid tokenizer, which then loads.
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

// This test is the first one, because the other tests load the module too.
test("j23: a module that cannot be loaded, in whatever way, is named, and the next try loads it", async () => {
    // A module with one changed bit may be valid and then loads.
  const spares = [/^absent/, /before the answer/, /^wrong: a bit$/];
  for (const { fault, act } of FILE_FAULTS.filter(({ fault }) => !spares.some((spared) => spared.test(fault)))) {
    const server = await faulty((asked) => act(asked, MODULE, COUNTER), {});
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

for (const loader of LOADERS) {
  const { name, file, load, counting, spares = [] } = loader;
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
      await assertFails(act, loader, fault);
      assertNotCounted();
      during = async () => {
        await assertFails(act, loader, fault);
        assertNotCounted();
      };
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied", `${fault}: ${report.message}`);
      await assertFails(act, loader, fault);
      assert.equal(compactor.status().tokens, report.tokensAfter);
      assert.deepEqual(await validate(compactor.messages(), "openai-chat"), []);
      compactor.undo();
      assert.equal(compactor.status().tokens, tokens);
      assert.ok(compactor.messages().every((message, index) => message === messages[index]), "the same objects");
    }
    // A file that arrives late and is requested twice at the same time.
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
