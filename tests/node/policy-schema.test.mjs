// The schema of policies and the package agree: they list the same names everywhere, and every share has limits.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { createCompactor, resolvePolicy } from "epitome";
import { checks } from "../out/conformance/index.js";

const { resolve } = createRequire(import.meta.url);
const schema = JSON.parse(readFileSync(resolve("epitome/package.json").replace("package.json", "policy.schema.json"), "utf8"));

const definition = ({ $ref }) => $ref?.split("/").at(-1);
const resolved = (node) => (node.$ref === undefined ? node : schema.$defs[definition(node)]);
const alternatives = ({ oneOf = [], anyOf = [] }) => [...oneOf, ...anyOf];

/** The name of an alternative: itself if it is a word, otherwise its only required field. */
const nameOf = (node) => node.const ?? node.required?.[0];

/** A small value that a node allows: its default, or its first alternative, or its required fields. */
function sample(node) {
  const { type, const: word, enum: words, properties = {}, required = [], items, minimum = 0, ...rest } = resolved(node);
  const [first] = alternatives(rest);
  if (word !== undefined || words !== undefined) return word ?? words[0];
  if (node.default !== undefined || rest.default !== undefined) return node.default ?? rest.default;
  if (first !== undefined) return sample(first);
  switch (Array.isArray(type) ? type[0] : type) {
    case "object":
      return Object.fromEntries(required.map((name) => [name, sample(properties[name])]));
    case "array":
      return [sample(items)];
    case "string":
      return "text";
    case "boolean":
      return false;
    case "number":
      return 0.5;
    default:
      return Math.max(minimum, 1);
  }
}

/** Every place in a policy once: its path, its node in the schema, and `policy`, which puts a value there. */
function* places(node, path, policy, seen = new Set()) {
  const known = definition(node);
  if (known !== undefined && seen.has(known)) return;
  seen.add(known ?? path);
  const here = resolved(node);
  yield { path, node: { ...here, ...node }, policy };
  for (const alternative of alternatives(here)) {
    yield* places(alternative, nameOf(alternative) === undefined ? path : `${path}:${nameOf(alternative)}`, policy, seen);
  }
  for (const [name, child] of Object.entries(here.properties ?? {})) {
    const others = sample({ type: "object", required: here.required, properties: here.properties });
    yield* places(child, `${path}.${name}`, (value) => policy({ ...others, [name]: value }), seen);
  }
  if (here.items !== undefined) {
    yield* places(here.items, `${path}[]`, (value) => policy([value]), seen);
  }
}

// What an agent differs in has the same fields again.
const { agents, ...properties } = schema.properties;
const all = [...places({ type: "object", properties }, "policy", (value) => value)];

/** Rejects with the message that lists the names which are accepted. */
async function listed(promise) {
  const { message } = await promise.then(
    () => assert.fail("a name that does not exist was accepted"),
    (error) => error,
  );
  const list = message.slice(message.search(/expected|there are/));
  return [...list.matchAll(/[`"](\w+)[`"]/g)].map(([, name]) => name);
}

const named = all.filter(({ node }) => (node.oneOf ?? []).length > 1 && node.oneOf.every((alternative) => nameOf(alternative) !== undefined));

for (const { path, node, policy } of named) {
  test(`${path}: every name in the schema is accepted, and the package has no other`, async () => {
    for (const alternative of node.oneOf) {
      await assert.doesNotReject(resolvePolicy(policy(sample(alternative))), nameOf(alternative));
    }
    const names = node.oneOf.map(nameOf);
    assert.deepEqual((await listed(resolvePolicy(policy("no such name")))).sort(), names.sort());
  });
}

test("the schema's lists include triggers, reducers, phases and encodings", () => {
  const found = new Set(named.map(({ path }) => path));
  for (const path of ["policy.triggers[]", "policy.reducers[].reducer", "policy.keep", "policy.counting", "policy.summaryPlacement"]) {
    assert.ok(found.has(path), `${path} is not among ${[...found].join(", ")}`);
  }
});

const shares = all.filter(({ node }) => [node.type].flat().includes("number") && /\bshare\b/i.test(node.description));

for (const { path, policy } of shares) {
  test(`${path}: a share below 0 or above 1 is refused by its name`, async () => {
    for (const value of [-0.5, 7]) {
      await assert.rejects(resolvePolicy(policy(value)), (error) => {
        assert.equal(error.code, "invalid-policy");
        assert.ok(error.message.includes(path.split(".").at(-1)), error.message);
        return true;
      });
    }
  });
}

test("the schema describes at least eight shares", () => {
  assert.ok(shares.length >= 8, shares.map(({ path }) => path).join(", "));
});

test("the package reads the formats that the checks know, and lists no other", async () => {
  const known = Object.keys(checks);
  for (const format of known) {
    (await createCompactor({ format })).dispose();
  }
  const { message } = await createCompactor({ format: "no-such-format" }).catch((error) => error);
  assert.deepEqual(message.match(/[a-z-]+(?=,|$)/g).sort(), known.sort());
});
