// An empty page that can load the package.

import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../../../crates/epitome-wasm/npm/dist", import.meta.url));
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves an empty page with these headers and the package, and lets pages of any origin ask. True if it has answered. */
export function page(request, response, headers = {}) {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-allow-headers", "*, authorization, x-api-key, anthropic-version, content-type");
  if (request.method === "OPTIONS") {
    response.writeHead(204).end();
  } else if (request.url.startsWith("/package/")) {
    const path = request.url.slice("/package".length);
    response.writeHead(200, { "content-type": TYPES[extname(path)] }).end(readFileSync(PACKAGE + path));
  } else if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html", ...headers }).end("<!doctype html><title>A page</title>");
  } else {
    return false;
  }
  return true;
}
