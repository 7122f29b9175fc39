// A fault of a server changes no conversation. The tests cover each client, each fault and each phase.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { createCompactor, isEpitomeError, validate } from "epitome";
import { COUNTERS, sendHealthy, serve, SUMMARIZERS, SUMMARY } from "./clients.mjs";
import { FAULTS, faulty, KEY, PATIENT } from "./faults.mjs";
import { longChat } from "./fixtures.mjs";

const serveHealthy = (client) => serve(({ response }) => sendHealthy(response, client));

/** A compactor with a full window, and the events that it emits. */
async function full(options) {
  const events = [];
  const messages = longChat(60);
  const compactor = await createCompactor({
    format: "openai-chat",
    policy: { window: 1_000, retry: { attempts: 1 } },
    summarize: () => SUMMARY,
    onEvent: (event) => events.push(event),
    ...options,
  });
  compactor.append(messages);
  return { compactor, events, messages };
}

async function assertValid(compactor) {
  assert.deepEqual((await validate(compactor.messages(), "openai-chat")).filter(({ severity }) => severity === "error"), []);
}

function assertUnchanged(compactor, messages) {
  assert.equal(compactor.messages().length, messages.length);
  assert.ok(compactor.messages().every((message, index) => message === messages[index]), "the same objects");
}

function assertReported(error, { codes, says }) {
  assert.ok(isEpitomeError(error), inspect(error));
  assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
  assert.match(error.message, says);
  assert.equal(typeof error.retryable, "boolean");
  assert.ok(!inspect(error).includes(KEY), error.message);
}

for (const client of SUMMARIZERS) {
  for (const row of FAULTS.filter(({ only }) => only !== "whole")) {
    test(`j2: a summarizer that is ${row.fault} (${client.name}, ${row.phase}) leaves the conversation unchanged`, async () => {
      const server = await faulty(row.act, client);
      const healthyServer = await serveHealthy(client);
      try {
        let thrown;
        let [baseURL, timeouts] = [server.baseURL, { ...PATIENT, ...row.limits }];
        const summarize = (request, context) =>
          client.create({ model: "m", apiKey: KEY, timeouts, baseURL })(request, context).catch((error) => {
            thrown = error;
            throw error;
          });
        const { compactor, messages } = await full({ summarize });
        const report = await compactor.compact();
        if (row.codes === undefined) {
          assert.equal(report.outcome, "applied", report.message);
          assert.ok(report.summary.startsWith(SUMMARY) && !report.summary.slice(SUMMARY.length).includes("They planned"));
          compactor.undo();
        } else {
          assertReported(thrown, row);
          assert.equal(report.outcome, "failed");
          assert.equal(report.message, thrown.message);
          assert.equal(report.tokensAfter, report.tokensBefore);
        }
        assertUnchanged(compactor, messages);
        await assertValid(compactor);
        [baseURL, timeouts] = [healthyServer.baseURL, PATIENT];
        const next = await compactor.compact({ reason: "manual" });
        assert.equal(next.outcome, "applied", next.message);
        assert.ok(next.summary.startsWith(SUMMARY));
        await assertValid(compactor);
        compactor.undo();
        assertUnchanged(compactor, messages);
        compactor.dispose();
      } finally {
        server.close();
        healthyServer.close();
      }
    });
  }

  test(`j2: an answer of ${client.name} that arrives after a cancellation changes nothing`, async () => {
    let release;
    const server = await serve(({ response }) => {
      release = () => sendHealthy(response, client);
    });
    const healthyServer = await serveHealthy(client);
    let baseURL = server.baseURL;
    const { compactor, messages } = await full({
      summarize: (request, context) => client.create({ model: "m", baseURL })(request, context),
    });
    const controller = new AbortController();
    const compaction = compactor.compact({ signal: controller.signal });
    while (release === undefined) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    assert.equal((await compaction).outcome, "cancelled");
    release();
    assertUnchanged(compactor, messages);
    baseURL = healthyServer.baseURL;
    assert.equal((await compactor.compact({ reason: "manual" })).outcome, "applied");
    await assertValid(compactor);
    compactor.dispose();
    server.close();
    healthyServer.close();
  });
}

/** The messages of these tests are in this format; the counters convert them to their own. */
const OTHER_FORMAT = { format: "openai-chat" };

for (const client of COUNTERS) {
  for (const row of FAULTS.filter(({ only }) => only !== "stream")) {
    test(`j11: a count that is ${row.fault} (${client.name}, ${row.phase}) changes nothing but the count`, async () => {
      const server = await faulty(row.act, client);
      const healthyServer = await serveHealthy(client);
      try {
        let thrown;
        let [baseURL, timeouts] = [server.baseURL, { ...PATIENT, ...row.limits }];
        const countTokens = (messages, context) =>
          client.create({ model: "m", apiKey: KEY, timeoutMs: timeouts.totalMs, baseURL, ...OTHER_FORMAT })(messages, context).catch((error) => {
            thrown = error;
            throw error;
          });
        const { compactor, events, messages } = await full({ countTokens });
        const report = await compactor.compact();
        assert.equal(report.outcome, "applied", report.message);
        assertReported(thrown, row);
        assert.equal(events.at(-1).type, "countFailed");
        assert.equal(events.at(-1).message, thrown.message);
        assert.deepEqual([compactor.status().tokens, compactor.status().exact], [report.tokensAfter, false]);
        await assertValid(compactor);
        compactor.undo();
        assertUnchanged(compactor, messages);
        [baseURL, timeouts] = [healthyServer.baseURL, PATIENT];
        const next = await compactor.compact({ reason: "manual" });
        assert.equal(next.outcome, "applied", next.message);
        assert.equal(events.at(-1).type, "counted");
        await assertValid(compactor);
        compactor.dispose();
      } finally {
        server.close();
        healthyServer.close();
      }
    });
  }

  test(`j11: a count of ${client.name} that arrives after its cancellation changes nothing`, async () => {
    let release;
    const server = await serve(({ response }) => {
      release = () => sendHealthy(response, client);
    });
    const countTokens = (messages, context) => client.create({ model: "m", baseURL: server.baseURL, ...OTHER_FORMAT })(messages, context);
    const { compactor, events, messages } = await full({ countTokens });
    const controller = new AbortController();
    const compaction = compactor.compact({ signal: controller.signal });
    while (release === undefined) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const report = await compaction;
    assert.equal(report.outcome, "applied");
    release();
    assert.equal(events.at(-1).type, "countFailed");
    assert.equal(compactor.status().tokens, report.tokensAfter);
    await assertValid(compactor);
    compactor.undo();
    assertUnchanged(compactor, messages);
    compactor.dispose();
    server.close();
  });
}
