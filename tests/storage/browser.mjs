// The store in IndexedDB of a real browser, driven from here: each store is a tab of the same origin.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const dist = dirname(dirname(createRequire(import.meta.url).resolve("epitome")));
const executablePath = process.env.EPITOME_BROWSER || "/usr/bin/chromium";
const ARGUMENTS = JSON.parse(readFileSync(new URL("../chromium.json", import.meta.url), "utf8"));

/** For `test` as `skip`: the reason to skip what needs a browser, or `false`. */
export const noBrowser = existsSync(executablePath) ? false : "no browser; set EPITOME_BROWSER";

function isRunning(id) {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/** A browser with a server that has the package. Its profile is a folder: that of `newContext()` would be off the record, whose
 * IndexedDB is only in memory. */
export async function startBrowser() {
  const server = createServer((request, response) => void serve(request.url, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${server.address().port}`;
  const profile = mkdtempSync(join(tmpdir(), "epitome-browser-"));
  const start = () => chromium.launchPersistentContext(profile, { executablePath, args: ARGUMENTS });
  let context = await start();
  return {
    origin,
    /** A tab, of this origin or of another name of the same server, with the entry `epitome/storage` as `storage`, `epitome/worker` as `worker`,
     * and a store in IndexedDB as `store`. */
    tab: async (at = origin) => {
      const page = await context.newPage();
      await page.goto(at);
      await page.evaluate(async () => {
        globalThis.storage = await import("/entrypoints/storage.js");
        globalThis.worker = await import("/entrypoints/worker.js");
        globalThis.store = globalThis.storage.indexedDbStore();
      });
      return page;
    },
    /** What is in the files of the profile that IndexedDB is in, of all origins together. */
    databases: () => {
      const folder = join(profile, "Default/IndexedDB");
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      return Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
    },
    /** Kills all processes of the browser, which have no time to do anything, and starts it again on the same profile. */
    restart: async () => {
      const devtools = await context.browser().newBrowserCDPSession();
      const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
      const closed = once(context, "close");
      // The browser last, since the others end themselves once it is gone, and a process that has ended cannot be killed.
      processInfo.reverse().forEach(({ id }) => process.kill(id, "SIGKILL"));
      await closed;
      // Its connection is closed before it has ended, and until then it has the files of its profile open.
      const { id } = processInfo.find(({ type }) => type === "browser");
      while (isRunning(id)) {
        await new Promise(setImmediate);
      }
      context = await start();
    },
    close: async () => {
      await context.close();
      server.close();
      // The last processes of the browser may still write to the folder while it is removed.
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function serve(url, response) {
  if (url === "/") {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>store</title>");
    return;
  }
  try {
    const bytes = await readFile(join(dist, normalize(new URL(url, "http://here").pathname)));
    response.setHeader("content-type", "text/javascript").end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}

/** The store of a tab. */
export function storeOf(page) {
  const call = (method) => (...args) => page.evaluate(([name, values]) => globalThis.store[name](...values), [method, args]);
  const stream = (method) =>
    async function* (...args) {
      yield* await page.evaluate(async ([name, values]) => {
        const items = [];
        for await (const item of globalThis.store[name](...values)) {
          items.push(item);
        }
        return items;
      }, [method, args]);
    };
  const names = (list, make) => Object.fromEntries(list.map((name) => [name, make(name)]));
  return { ...names(["head", "claim", "commit", "cut", "derived", "setDerived", "delete"], call), ...names(["load", "list"], stream) };
}

/** Puts another text in the place of that of a commit in the database of a tab, as a broken disk would. */
export function damageIn(page, id, sequence, text) {
  return page.evaluate(
    (changed) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("epitome");
        opening.onsuccess = () => {
          const commits = opening.result.transaction("commits", "readwrite").objectStore("commits");
          const known = commits.get([changed.id, changed.sequence]);
          known.onsuccess = () => commits.put({ ...known.result, text: changed.text });
          commits.transaction.oncomplete = () => resolve(opening.result.close());
          commits.transaction.onabort = reject;
        };
      }),
    { id, sequence, text },
  );
}
