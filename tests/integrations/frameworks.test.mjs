// A compactor as the stores of frameworks: what Svelte and Vue compute of its state follows it. React is in `tests/packaging/next.test.mjs`.

import assert from "node:assert/strict";
import { effect, shallowRef } from "@vue/reactivity";
import { statesOf } from "epitome/worker";
import { derived, get } from "svelte/store";
import { both } from "../node/places.mjs";

const said = (turn) => ({ role: turn % 2 ? "assistant" : "user", content: `All about bed ${turn}. `.repeat(20) });

/** What a framework has to show in the end. */
const COMPACTED = /^\d{3} of 2000, \d messages, idle$/;
const shown = ({ status, messages, isCompacting }) =>
  `${status.tokens} of ${status.window}, ${messages.length} messages, ${isCompacting ? "compacting" : "idle"}`;

/** Has a conversation grow and compacts it. `seen` is all that was shown. */
async function run(compactor, store, seen) {
  await compactor.append(Array.from({ length: 40 }, (_, turn) => said(turn)));
  assert.equal((await compactor.compact()).outcome, "applied");
  const last = shown(await compactor.getSnapshot());
  assert.equal(shown(store.getSnapshot()), last);
  assert.equal(seen.at(-1), last);
  assert.match(last, COMPACTED);
  assert.ok(seen.some((text) => text.endsWith("compacting")), seen.join("; "));
  assert.equal(new Set(seen).size, seen.length, "nothing is shown twice");
}

/** A compactor as a store: in a worker, by its states. */
async function storeIn({ name, createCompactor }) {
  const compactor = await createCompactor({ format: "openai-chat", policy: { window: 2_000 } });
  return { compactor, store: name === "here" ? compactor : await statesOf(compactor) };
}

both("m1: what Svelte derives of a compactor follows it", async (place) => {
  const { compactor, store } = await storeIn(place);
  const seen = [];
  const end = derived(store, shown).subscribe((text) => seen.push(text));
  await run(compactor, store, seen);
  assert.equal(get(store), store.getSnapshot());
  end();
  const { length } = seen;
  await compactor.append(said(41));
  assert.equal(seen.length, length);
});

both("m1: what Vue computes of a compactor follows it", async (place) => {
  const { compactor, store } = await storeIn(place);
  const state = shallowRef(store.getSnapshot());
  const end = store.subscribe((next) => (state.value = next));
  const seen = [];
  effect(() => seen.push(shown(state.value)));
  await run(compactor, store, seen);
  end();
});
