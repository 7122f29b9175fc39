// Plans of the same messages that follow each other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreCompactor } from "epitome";
import { fullCompactor, longChat } from "./fixtures.mjs";

const FORMAT = { format: "openai-chat" };

/** The compactor's next plan, checked: it equals the plan of a restored compactor, its array is new, and its actions are the
 * objects of the plan `before` if they are equal. Also returns how many of them are new objects. */
async function next(compactor, before) {
  const plan = compactor.plan();
  const restored = await restoreCompactor(compactor.snapshot(), { ...FORMAT, originals: compactor.history() });
  assert.deepEqual(plan, restored.plan());
  restored.dispose();
  assert.notEqual(plan.actions, before.actions);
  assert.ok(Array.isArray(plan.actions));
  let renewed = 0;
  for (const [index, action] of plan.actions.entries()) {
    const earlier = before.actions[index];
    const same = earlier !== undefined && Object.entries(earlier).every(([key, value]) => action[key] === value);
    assert.equal(action === earlier, same, action.id);
    renewed += same ? 0 : 1;
  }
  return { plan, others: renewed };
}

test("a plan reuses the objects of the plan before for unchanged actions", async () => {
  const compactor = await fullCompactor({}, longChat(150));
  const plans = [compactor.plan()];
  const steps = {
    nothing: () => {},
    append: () => compactor.append(longChat(2).slice(1)),
    "append many": () => compactor.append(longChat(200).slice(1)),
    edit: () => compactor.edit("m350", { role: "user", content: "Rather tulips." }),
    setPolicy: () => compactor.setPolicy({ window: 2_000, keep: { messages: 20 } }),
    compact: () => compactor.compact(),
    "append behind it": () => compactor.append(longChat(90).slice(1)),
    undo: () => compactor.undo(),
  };
  const others = {};
  for (const [name, step] of Object.entries(steps)) {
    await step();
    const before = plans.at(-1);
    const { plan, ...counts } = await next(compactor, before);
    others[name] = counts.others;
    plans.push(plan);
  }
  assert.equal(others.nothing, 0);
  for (const name of ["append", "edit", "setPolicy"]) {
    assert.ok(others[name] > 0 && others[name] < 100, `${name}: ${others[name]} others`);
  }
  assert.ok(others.compact > 300, `${others.compact} others`);
  compactor.dispose();
});

test("a plan does not change when others follow, and changing it does not affect them", async () => {
  const compactor = await fullCompactor();
  const first = compactor.plan();
  const copy = structuredClone(first);
  compactor.append(longChat(20).slice(1));
  await compactor.compact();
  const second = compactor.plan();
  assert.deepEqual(first, copy);
  const expected = structuredClone(second);
  second.actions.reverse().length = 3;
  assert.deepEqual(compactor.plan(), expected);
  compactor.dispose();
});

test("steps of one message are listed in every plan", async () => {
  const step = (id) => [
    { type: "step-start" },
    { type: "tool-look", toolCallId: id, state: "output-available", input: { at: id }, output: "a rose" },
  ];
  const answer = (parts) => ({ id: "a", role: "assistant", parts });
  const asked = { id: "u", role: "user", parts: [{ type: "text", text: "Look around." }] };
  const compactor = await fullCompactor({ format: "ai-sdk-ui" }, [asked, answer([...step("one"), ...step("two")])]);
  const first = compactor.plan();
  compactor.edit("m1", answer([...step("one"), ...step("two"), ...step("three")]));
  const second = compactor.plan();
  const ids = second.actions.map(({ id }) => id);
  assert.ok(ids.length > first.actions.length, ids.join(" "));
  assert.deepEqual(ids.slice(0, first.actions.length), first.actions.map(({ id }) => id));
  assert.deepEqual(new Set(ids).size, ids.length);
  assert.equal(second.actions[0], first.actions[0]);
  compactor.dispose();
});
