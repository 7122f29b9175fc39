// A server for a page with one script, as any static host is.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves the files of a folder, and at `/` a page with the script of this address, or the folder's own. Returns the page's address,
 * and the files that are fetched. */
export async function serve(root, script) {
  const fetched = [];
  const server = createServer(async (request, response) => {
    const asked = normalize(new URL(request.url, "http://here").pathname);
    if (asked === "/" && script !== undefined) {
      const page = `<!doctype html><title>app</title><p id="fill"></p><script type="module" src="${script}"></script>`;
      response.setHeader("content-type", "text/html").end(page);
      return;
    }
    const path = asked === "/" ? "/index.html" : asked;
    const body = await readFile(join(root, path)).catch(() => undefined);
    if (body !== undefined) {
      fetched.push({ path, body });
    }
    response.writeHead(body === undefined ? 404 : 200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { address: `http://127.0.0.1:${server.address().port}/`, fetched, close: () => server.close() };
}
