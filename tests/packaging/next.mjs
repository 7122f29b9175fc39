// Apps of Next, built and served.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./packed.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
/** The folders of its versions. */
const FOLDERS = { 15: "next-15/node_modules/next", 16: "node_modules/next" };
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };

/** Why no app of this version can be built; false if it can. */
export function noNext(version) {
  const program = programOf(version);
  return existsSync(program) ? false : `${program} is not there`;
}

/** Writes an app of Next beside the packed package, and gives its folder. */
export async function nextApp(version, app, files) {
  for (const place of [FOLDERS[version], "node_modules/react", "node_modules/react-dom"]) {
    await symlink(join(here, place), join(app.folder, "node_modules", basename(place)), "dir");
  }
  const folder = join(app.folder, "next");
  for (const [name, text] of Object.entries({ "package.json": '{ "private": true, "type": "module" }', ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** Builds the app and serves it. */
export async function served(version, folder, ...options) {
  const program = programOf(version);
  await run(process.execPath, [program, "build", ...options], { cwd: folder, env });
  const server = spawn(process.execPath, [program, "start", "--port", "0", "--hostname", "127.0.0.1"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    server.stdout.on("data", (data) => {
      said += data;
      const ready = said.match(/(http:\/\/127\.0\.0\.1:\d+)[^]*Ready/);
      if (ready !== null) {
        resolve(ready[1]);
      }
    });
    server.once("exit", () => reject(new Error(`Next has ended: ${said}`)));
  });
  return { address, close: () => server.kill() };
}

function programOf(version) {
  return join(here, FOLDERS[version], "dist/bin/next");
}
