// A worker of an app, in which compactors are. It crashes, or collects its garbage, when it is told to.

import { parentPort } from "node:worker_threads";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { serveCompactors } from "epitome/worker";

serveCompactors();
parentPort.on("message", (message) => {
  if (message === "crash") {
    process.exit(1);
  }
  if (message === "collect") {
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    parentPort.postMessage("collected");
  }
});
