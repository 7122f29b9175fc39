// Compactors share an instance of the module only as long as that is good for them, and its memory is given back.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { createCompactor, loadEncoding, restoreCompactor, validate } from "epitome";
import { createGlue } from "../../crates/epitome-wasm/npm/dist/glue/factory.js";
import { factoryOf } from "../../crates/epitome-wasm/npm/scripts/glue.mjs";
import { longChat } from "./fixtures.mjs";

const OPTIONS = { format: "openai-chat", policy: { window: 1_000, retry: { attempts: 1 } }, summarize: () => "They planned the garden." };
const MODULE = readFileSync(new URL("../../crates/epitome-wasm/npm/dist/glue/epitome_bg.wasm", import.meta.url));

/** The instances of the whole module that are made while `run` runs. Those of its parts have no memory of their own. */
async function made(context, run) {
  const instantiate = context.mock.method(WebAssembly, "instantiate");
  await run();
  const count = instantiate.mock.calls.filter(({ arguments: [, imports] }) => imports?.first === undefined).length;
  instantiate.mock.restore();
  return count;
}

async function isUsable(compactor) {
  compactor.append(longChat(60));
  const report = await compactor.compact({ reason: "manual" });
  assert.equal(report.outcome, "applied", report.message);
  assert.deepEqual(await validate(compactor.messages(), "openai-chat"), []);
  compactor.undo();
}

/** Breaks a compactor by an exception in the middle of a call, as at the end of the stack. */
function breakOff(context, compactor) {
  const encode = context.mock.method(TextEncoder.prototype, "encodeInto", () => {
    throw new RangeError("Maximum call stack size exceeded");
  });
  assert.throws(() => compactor.edit("m0", { role: "user", content: "Ä".repeat(1_000) }), { code: "broken" });
  encode.mock.restore();
  assert.throws(() => compactor.status(), { code: "broken" });
}

test("two instances of the glue share nothing", async () => {
  const [one, other] = [createGlue(), createGlue()];
  await one.default({ module_or_path: MODULE });
  await other.default({ module_or_path: one.compiledModule() });
  assert.notEqual(one.Compactor, other.Compactor);
  const names = Object.keys(one);
  assert.ok(["Compactor", "ParsedSnapshot", "presets", "connect", "resizeBuffer", "default"].every((name) => names.includes(name)), String(names));
  assert.deepEqual(one.presets(), other.presets());
});

test("a glue of another form than that of the pinned wasm-bindgen is refused when the package is built", () => {
  const glue = "export class A {}\nlet wasmModule, wasm;\n    wasm = instance.exports;\nexport { initSync, __wbg_init as default };\n";
  assert.match(factoryOf(glue), /return \{ A, default: __wbg_init/);
  for (const changed of [glue.replace("wasmModule", "other"), glue.replace("instance.", "other."), glue.replace("initSync, ", ""), `import "x";\n${glue}`, glue.replace("export class", "class"), `${glue}const here = import.meta.url;\n`]) {
    assert.throws(() => factoryOf(changed), /the glue of wasm-bindgen has changed/, changed);
  }
});

test("j8: every 32 compactors have an instance of their own, and each works", async (context) => {
  const compactors = [];
  const count = await made(context, async () => {
    for (let number = 0; number < 100; number += 1) compactors.push(await createCompactor(OPTIONS));
  });
  assert.ok(count >= 3 && count <= 4, String(count));
  for (const compactor of compactors.filter((_, number) => number % 9 === 0)) await isUsable(compactor);
  compactors.forEach((compactor) => compactor.dispose());
});

test("j7: after a call that ended abnormally, new compactors have another instance, and the broken one is rebuilt there", async (context) => {
  const compactor = await createCompactor(OPTIONS);
  const sibling = await createCompactor(OPTIONS);
  compactor.append(longChat(60));
  await compactor.compact();
  const [snapshot, view] = [compactor.snapshot(), compactor.messages()];
  breakOff(context, compactor);
  let restored;
  const count = await made(context, async () => {
    restored = await restoreCompactor(snapshot, { ...OPTIONS, originals: compactor.history() });
  });
  assert.equal(count, 1);
  assert.deepEqual(restored.messages(), view);
  await isUsable(restored);
  await isUsable(sibling);
  for (const one of [compactor, sibling, restored]) one.dispose();
});

test("j8: an encoding that was loaded counts in every instance", async () => {
  await loadEncoding("cl100k_base");
  const policy = { ...OPTIONS.policy, counting: { encoding: "cl100k_base" } };
  const compactors = [];
  for (let number = 0; number < 40; number += 1) compactors.push(await createCompactor({ ...OPTIONS, policy: number < 36 ? OPTIONS.policy : policy }));
  compactors.forEach((compactor) => compactor.append(longChat(6)));
  compactors.forEach((compactor) => compactor.setPolicy(policy));
  assert.equal(new Set(compactors.map((compactor) => compactor.status().tokens)).size, 1);
  compactors.forEach((compactor) => compactor.dispose());
});

test("j8: the memory of an instance is given back when none of its compactors is left", () => {
  const script = `
    import { createCompactor } from "epitome";
    const use = async () => {
      const compactor = await createCompactor({ format: "openai-chat", policy: { window: 1e9 }, summarize: () => "s" });
      for (let turn = 0; turn < 5; turn += 1) compactor.append({ role: "user", content: "x".repeat(50_000_000) });
      const used = process.memoryUsage().rss;
      compactor.dispose();
      return used;
    };
    const used = Math.max(await use(), await use());
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve));
      globalThis.gc();
    }
    console.log(JSON.stringify({ used, left: process.memoryUsage().rss }));
  `;
  const output = execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "--eval", script], { cwd: new URL(".", import.meta.url) });
  const { used, left } = JSON.parse(String(output));
  assert.ok(left < used - 200_000_000, `${used} bytes were used, and ${left} are left`);
});
