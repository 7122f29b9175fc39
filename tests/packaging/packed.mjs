// The package as it is published, in an empty app, and the conversation that each tool and each runtime compacts there.

import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const run = promisify(execFile);
const source = fileURLToPath(new URL("../../crates/epitome-wasm/npm", import.meta.url));
const npm = (words, cwd) => run("npm", [...words, "--no-audit", "--no-fund"], { cwd, shell: process.platform === "win32" });

/** What the engine makes of the conversation without wasm: `m5_…` in Rust checks that it is so. */
export const { format, policy, messages, expected } = JSON.parse(
  await readFile(new URL("../fixtures/packaging.json", import.meta.url), "utf8"),
);

/** More than fits into the window of a recipe. */
export const tooMany = [...messages, ...messages.slice(1)];

/** An app with the packed package, and the name of the tarball. */
export async function packedApp() {
  const folder = await mkdtemp(join(tmpdir(), "epitome-packed-"));
  const { stdout } = await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], source);
  const [{ filename }] = JSON.parse(stdout);
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await npm(["install", "--offline", `./${filename}`], folder);
  // Also for a compactor in a worker, whose methods return promises.
  const compaction = `export async function compacted(createCompactor) {
    const compactor = await createCompactor(${JSON.stringify({ format, policy })});
    await compactor.append(${JSON.stringify(messages)});
    const { outcome } = await compactor.compact();
    return JSON.stringify(outcome === "applied" ? await compactor.messages() : outcome);
  }\n`;
  await writeFile(join(folder, "compaction.js"), compaction);
  const use = 'import { createCompactor } from "epitome";\nimport { compacted } from "./compaction.js";\n';
  await writeFile(join(folder, "page.js"), `${use}globalThis.outcome = compacted(createCompactor).catch(String);\n`);
  const useWorker = 'import { createWorkerCompactor } from "epitome/worker";\nimport { compacted } from "./compaction.js";\n';
  await writeFile(join(folder, "worker-page.js"), `${useWorker}globalThis.outcome = compacted(createWorkerCompactor).catch(String);\n`);
  const own = '(options) => createWorkerCompactor({ ...options, worker: new Worker("/engine.js", { type: "module" }) })';
  await writeFile(join(folder, "own-worker-page.js"), `${useWorker}globalThis.outcome = compacted(${own}).catch(String);\n`);
  await writeFile(join(folder, "engine.js"), 'import { serveCompactors } from "epitome/worker";\nserveCompactors();\n');
  await writeFile(join(folder, "script.js"), `${use}console.log(await compacted(createCompactor));\n`);
  await writeFile(
    join(folder, "worker.js"),
    `${use}export default { fetch: async () => new Response(await compacted(createCompactor).catch((error) => error.stack)) };\n`,
  );
  return {
    folder,
    tarball: join(folder, filename),
    remove: () => rm(folder, { recursive: true, force: true }),
    copy: (from, to) => cp(from, join(folder, to), { recursive: true }),
  };
}
