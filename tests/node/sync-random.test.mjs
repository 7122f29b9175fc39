// Random apps change their array in every way that chat pages do, and the compactor follows. `EPITOME_SYNC_CASES` sets how many
// (default 1,600), and `EPITOME_SYNC_SEED` the first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, createCompactor, restoreCompactor, validate } from "epitome";
import { same, said, toolRound } from "./harness.mjs";
import { generator } from "./random.mjs";

const FORMATS = ["openai-chat", "openai-responses", "anthropic", "ai-sdk-ui", "ai-sdk-model", "gemini", "langchain", "bedrock"];
const CASES = Number(process.env.EPITOME_SYNC_CASES ?? 1_600);
const FIRST_SEED = Number(process.env.EPITOME_SYNC_SEED ?? 1);
const STEPS = 12;
const WORDS = "roses bloom in May and order 4711 of Mrs Miller has not arrived in Rotterdam yet".split(" ");
const POLICY = { window: 1_500, counting: { charactersPerToken: 1 }, triggers: ["manual"], minSaving: 0, keepRequestsTokens: 0 };

/** An app with an array of messages in one format, as pieces that belong together: a message, or a call with its result. */
class App {
  constructor(format, random) {
    Object.assign(this, { format, random, pieces: [], earlier: [], count: 0 });
  }

  get messages() {
    return this.pieces.flat();
  }

  text() {
    this.count += 1;
    return `${this.count}: ${Array.from({ length: 1 + this.random.below(40) }, () => this.random.one(WORDS)).join(" ")}`;
  }

  /** One piece in the app's format. */
  async piece(kind, text = this.text()) {
    const round = () => toolRound(`c${this.count}`, text).map(({ "x-mine": _, ...message }) => message);
    const chat = kind === "tool" ? round() : [said(kind, text)];
    const { messages } = await convert(chat, "openai-chat", this.format);
    // What one app makes has ids of its own.
    return messages.map((message, index) => named(message, `own-${this.count}-${index}`));
  }

  async turn() {
    this.pieces.push(await this.piece("user"));
    for (let rounds = this.random.below(3); rounds > 0; rounds -= 1) {
      this.pieces.push(await this.piece("tool"));
    }
    this.pieces.push(await this.piece("assistant"));
  }

  /** Where a turn begins. */
  starts() {
    const isRequest = ([message]) => message.role === "user" || message.id?.at?.(-1) === "HumanMessage";
    return this.pieces.flatMap((piece, index) => (isRequest(piece) && piece.length === 1 ? [index] : []));
  }

  keep() {
    this.earlier.push(this.pieces.slice());
  }
}

/** A message with an id of its own, if its format has such ids. */
const named = (message, id) => (typeof message.id === "string" ? { ...message, id } : message);

const STEPS_OF_APPS = {
  async append({ app }) {
    await app.turn();
  },
  async stream({ app, sync }) {
    app.pieces.push(await app.piece("user"));
    const text = app.text();
    const id = app.count;
    for (const length of [3, 9, text.length]) {
      const [message] = await app.piece("assistant", text.slice(0, length));
      app.pieces[length === 3 ? app.pieces.length : app.pieces.length - 1] = [
        named(message, `streamed-${id}`),
      ];
      sync();
    }
  },
  async edit({ app, random }) {
    const [place] = [random.one(app.starts())];
    if (place !== undefined) {
      const [message] = await app.piece("user");
      const own = app.pieces[place][0].id;
      app.pieces[place] = [named(message, own)];
    }
  },
  async resend({ app, random }) {
    const place = random.one(app.starts());
    if (place !== undefined) {
      app.keep();
      app.pieces.splice(place, app.pieces.length, await app.piece("user"), await app.piece("assistant"));
    }
  },
  async regenerate({ app }) {
    const place = app.starts().at(-1);
    if (place !== undefined) {
      app.keep();
      app.pieces.splice(place + 1, app.pieces.length, await app.piece("assistant"));
    }
  },
  async remove({ app, random }) {
    const starts = app.starts();
    const turn = random.below(starts.length || 1);
    if (starts.length > 1 && turn + 1 < starts.length) {
      app.pieces.splice(starts[turn], starts[turn + 1] - starts[turn]);
    }
  },
  async insert({ app, random }) {
    const place = random.one(app.starts());
    if (place !== undefined) {
      app.pieces.splice(place, 0, await app.piece("user"), await app.piece("assistant"));
    }
  },
  async switch({ app, random }) {
    const other = random.one(app.earlier);
    if (other !== undefined) {
      app.keep();
      app.pieces = other.slice();
    }
  },
  async copy({ app }) {
    app.pieces = app.pieces.map((piece) => piece.map((message) => structuredClone(message)));
  },
  async cut({ app, random }) {
    app.keep();
    app.pieces.length = random.below(app.pieces.length + 1);
  },
  async compact({ app, compactor, sync, seen }) {
    sync();
    const view = compactor.messages();
    const { outcome } = await compactor.compact();
    if (outcome === "applied") {
      seen.compactions += 1;
      const compacted = compactor.messages();
      compactor.undo();
      assert.deepEqual(compactor.messages(), view, "undo restores the view before");
      assert.equal((await compactor.compact()).outcome, "applied");
      assert.deepEqual(compactor.messages(), compacted);
    }
    assert.ok(same(compactor.history(), app.messages));
  },
};
const NAMES = Object.keys(STEPS_OF_APPS);

async function check(format, seed, seen) {
  const random = generator(seed);
  const app = new App(format, random);
  const compactor = await createCompactor({ format, policy: { ...POLICY, keep: { messages: random.below(6) }, ...random.one([{}, { reducers: [] }]) } });
  const steps = [];
  const sync = () => {
    const messages = app.messages;
    const report = compactor.sync(messages);
    for (const field of Object.keys(report)) {
      seen[field] = (seen[field] ?? 0) + report[field].length;
    }
    const place = `${format} ${seed}: ${steps.join(", ")}`;
    assert.ok(same(compactor.history(), messages), `${place}: the conversation is the app's array`);
    const view = compactor.messages();
    const own = new Set(messages);
    const strange = view.filter((message) => !own.has(message) && app.everything.has(message));
    assert.deepEqual(strange, [], `${place}: nothing removed comes back`);
    const compacted = new Set(compactor.compacted());
    const present = compactor.plan().actions.filter(({ id }) => !id.includes("#") && !compacted.has(id));
    assert.ok(view.length > 0 || present.length === 0, place);
    messages.forEach((message) => app.everything.add(message));
    return place;
  };
  app.everything = new Set();
  for (let count = 0; count < STEPS; count += 1) {
    const name = random.one(["append", "append", "compact", "compact", "switch", ...NAMES]);
    steps.push(name);
    await STEPS_OF_APPS[name]({ app, random, compactor, sync, seen });
    const place = sync();
    const issues = await validate(compactor.messages(), format);
    const own = await validate(app.messages, format);
    assert.deepEqual(issues.filter(({ severity }) => severity === "refused" && own.length === 0), [], `${place}: the view is legal`);
  }
  const again = await restoreCompactor(compactor.snapshot(), { format, originals: app.messages });
  assert.deepEqual(again.messages(), compactor.messages(), `${format} ${seed}: a new compactor has the same view`);
  assert.deepEqual(again.status(), compactor.status());
  again.dispose();
  compactor.dispose();
}

for (const [index, format] of FORMATS.entries()) {
  test(`k1: ${format}: after any change of the app's array, the view is legal and follows it`, async (context) => {
    const seen = { compactions: 0 };
    const cases = Math.ceil(CASES / FORMATS.length);
    for (let number = 0; number < cases; number += 1) {
      await check(format, FIRST_SEED + number * FORMATS.length + index, seen);
    }
    context.diagnostic(`${cases} cases: ${JSON.stringify(seen)}`);
    for (const field of ["compactions", "appended", "inserted", "changed", "removed", "left", "inactive", "reactivated"]) {
      assert.ok(seen[field] > 0, `no case has ${field}`);
    }
  });
}
