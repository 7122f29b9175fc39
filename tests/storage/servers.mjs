// Redis and PostgreSQL of the system's packages, each started on loopback with a folder of its own.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const DEBIAN_POSTGRES = "/usr/lib/postgresql";

/** For `test` as `skip`: the reason to skip what needs Redis, or `false`. In CI it has to be there. */
export const noRedis = program("redis-server") || process.env.CI ? false : "no redis-server; Debian: apt-get install redis-server";

/** The same for PostgreSQL. */
export const noPostgres = postgresProgram("initdb") || process.env.CI ? false : "no PostgreSQL; Debian: apt-get install postgresql";

/** A Redis that survives its end: every write is on the disk before it is answered. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), "epitome-redis-"));
  const port = await freePort();
  const options = ["--port", port, "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--appendfsync", "always", "--save", ""];
  let server;
  const start = async () => {
    server = await started(program("redis-server"), options.map(String));
  };
  await start();
  return {
    port,
    restart: async () => {
      await stopped(server, "SIGKILL");
      await start();
    },
    stop: async () => {
      await stopped(server, "SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that leads to another one. `holdAnswers` stops what comes back; `cut` drops it and ends the connections. */
export async function lossyLine(to) {
  const [sockets, answers] = [new Set(), new Set()];
  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    answers.add(far);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    near.pipe(far);
    far.pipe(near);
  });
  const cut = () => {
    sockets.forEach((socket) => socket.destroy());
    sockets.clear();
    answers.clear();
  };
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: server.address().port,
    holdAnswers: () => answers.forEach((far) => far.unpipe().pause()),
    cut,
    close: () => {
      cut();
      server.close();
    },
  };
}

/** A PostgreSQL with an empty database. It does not run as root, so that its folder is another user's. */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "epitome-postgres-"));
  const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g"), cwd: folder } : {};
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
  }
  const data = join(folder, "data");
  const made = spawnSync(postgresProgram("initdb"), ["-D", data, "-U", "epitome", "--auth=trust", "--encoding=UTF8", "--no-sync"], user);
  if (made.status !== 0) {
    throw new Error(`initdb: ${made.stderr ?? made.error}`);
  }
  const port = await freePort();
  const options = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`];
  const server = await started(postgresProgram("postgres"), options, user);
  return {
    connection: { host: "127.0.0.1", port, user: "epitome", database: "postgres" },
    stop: async () => {
      await stopped(server, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a server, and resolves when it says that it is ready: both say it in the same words. */
async function started(binary, options, user = {}) {
  const server = spawn(binary, options, { stdio: ["ignore", "pipe", "pipe"], ...user });
  let printed = "";
  await new Promise((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on("data", (text) => {
        printed += text;
        if (/ready to accept connections/i.test(printed)) {
          resolve();
        }
      });
    }
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`${binary} has ended: ${printed}`)));
  });
  return server;
}

async function stopped(server, signal) {
  if (server.exitCode === null && server.signalCode === null) {
    const exit = once(server, "exit");
    server.kill(signal);
    await exit;
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** The path of a program; undefined if there is none. */
function program(name, folders = (process.env.PATH ?? "").split(delimiter)) {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function postgresProgram(name) {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).sort((one, other) => Number(other) - Number(one)) : [];
  return program(name, versions.map((version) => join(DEBIAN_POSTGRES, version, "bin"))) ?? program(name);
}

function idOf(option) {
  const found = ["postgres", "nobody"].map((name) => Number(spawnSync("id", [option, name]).stdout.toString().trim() || NaN));
  return found.find((id) => !Number.isNaN(id));
}
