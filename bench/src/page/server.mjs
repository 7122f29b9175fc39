// Serves the page of the bench, its bundle, the vocabulary and the texts on the loopback interface.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { corpus, sample } from "../corpus.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const encodings = join(dirname(createRequire(import.meta.url).resolve("epitome/package.json")), "encodings");

const HEADERS = {
  // A page that is isolated from other origins has a clock with microseconds.
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cache-control": "no-store",
};

/** Listens on a free port. Call `close` afterwards. */
export async function serve() {
  const { outputFiles } = await build({
    entryPoints: [join(here, "candidates.mjs"), join(here, "measure.mjs")],
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    outdir: "unwritten",
    write: false,
    logLevel: "error",
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [`/${basename(path)}`, contents]));
  const all = corpus();
  const answer = ({ pathname, searchParams }) => {
    if (pathname === "/") return ["text/html; charset=utf-8", "<!doctype html><title>bench</title>"];
    if (files.has(pathname)) return ["text/javascript; charset=utf-8", files.get(pathname)];
    if (pathname.startsWith("/encodings/"))
      return ["application/octet-stream", readFileSync(join(encodings, basename(pathname)))];
    if (pathname === "/kinds.json") {
      const kinds = all.map((one) => ({
        kind: one.kind,
        script: one.script,
        messages: sample(one, Number(searchParams.get("bytes"))),
      }));
      return ["application/json", JSON.stringify(kinds)];
    }
    return undefined;
  };
  const server = createServer(({ url }, response) => {
    const found = answer(new URL(url, "http://127.0.0.1"));
    response.writeHead(found === undefined ? 404 : 200, {
      ...HEADERS,
      "content-type": found?.[0] ?? "text/plain",
    });
    response.end(found?.[1]);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
