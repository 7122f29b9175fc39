// The packed package in a route of Next's edge runtime. Next 15 builds it; Next 16 builds none any more, whatever is in it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { estimateTokens } from "epitome";
import { nextApp, noNext, served } from "./next.mjs";
import { expected, packedApp } from "./packed.mjs";

const VERSION = 15;
const skip = noNext(VERSION);

const FILES = {
  "app/layout.js": 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
  "app/page.js": "export default () => <p>compacts</p>;\n",
  "app/edge/route.js": `import { createCompactor, estimateTokens } from "epitome";
import { compacted } from "../../../compaction.js";
export const runtime = "edge";
export const dynamic = "force-dynamic";
export const GET = async () => Response.json({
  runtime: EdgeRuntime,
  compacted: await compacted(createCompactor),
  estimated: await estimateTokens("How many roses?"),
});
`,
};

let app;
let server;

before(async () => {
  if (!skip) {
    app = await packedApp();
    server = await served(VERSION, await nextApp(VERSION, app, FILES));
  }
});

after(async () => {
  server?.close();
  await app?.remove();
});

test("m5: a route of Next in the edge runtime compacts, as the engine does without wasm", { skip }, async () => {
  const answer = await (await fetch(`${server.address}/edge`)).json();
  assert.equal(answer.runtime, "edge-runtime");
  assert.equal(answer.compacted, JSON.stringify(expected));
  assert.equal(answer.estimated, await estimateTokens("How many roses?"));
});
