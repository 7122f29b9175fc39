// The table of faults in a browser: the package in a page, and servers on loopback that act as the table says.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import { COUNTERS, sendHealthy, serve, SUMMARIZERS, SUMMARY } from "../../node/clients.mjs";
import { FAULTS, faulty, KEY, PATIENT } from "../../node/faults.mjs";
import { FILE_FAULTS } from "../../node/file-faults.mjs";
import { page } from "./page.mjs";

const VOCABULARY = readFileSync(fileURLToPath(new URL("../../../crates/epitome-wasm/npm/encodings/cl100k_base.vocab", import.meta.url)));
const OTHER = VOCABULARY.subarray(0, 1_000);
const [SUMMARIZER, COUNTER] = [SUMMARIZERS[0], COUNTERS[0]];

/** In the page: a compaction with a server at fault, and one with a healthy server. */
async function attempt({ name, isSummarizer, faultyURL, healthyURL, key, limits, patient, summary }) {
  const { createCompactor, isEpitomeError, validate, ...all } = await import("/package/entrypoints/index.js");
  const messages = Array.from({ length: 60 }, (_, turn) => ({
    role: turn % 2 === 0 ? "user" : "assistant",
    content: `Turn ${turn}: bed ${turn * 7} of the garden gets ${turn} roses, and compost before the frost.`,
  }));
  const events = [];
  const ask = (baseURL, timeouts) =>
    isSummarizer
      ? all[name]({ model: "m", apiKey: key, timeouts, baseURL })
      : all[name]({ model: "m", apiKey: key, timeoutMs: timeouts.totalMs, baseURL, format: "openai-chat" });
  let thrown;
  let server = [faultyURL, { ...patient, ...limits }];
  const asked = (given, context) =>
    ask(...server)(given, context).catch((error) => {
      const { code, message, retryable } = error;
      thrown = { isOurs: isEpitomeError(error), code, message, retryable };
      throw error;
    });
  const callbacks = isSummarizer ? { summarize: asked } : { summarize: () => summary, countTokens: asked };
  const policy = { window: 1_000, retry: { attempts: 1 } };
  const compactor = await createCompactor({ format: "openai-chat", policy, onEvent: ({ type }) => events.push(type), ...callbacks });
  compactor.append(messages);
  const isWhole = () => compactor.messages().every((message, index) => message === messages[index]);
  const refused = async () => (await validate(compactor.messages(), "openai-chat")).filter(({ severity }) => severity === "refused").length;
  const report = await compactor.compact();
  const issues = await refused();
  const last = events.at(-1);
  if (report.outcome === "applied") compactor.undo();
  const whole = isWhole();
  server = [healthyURL, patient];
  const next = await compactor.compact({ reason: "manual" });
  const again = await refused();
  compactor.undo();
  const result = { outcome: report.outcome, summary: report.summary, last, thrown, whole, next: next.outcome, problem: next.message, issues: issues + again, wholeAgain: isWhole() };
  compactor.dispose();
  return result;
}

for (const client of [SUMMARIZER, COUNTER]) {
  const isSummarizer = client === SUMMARIZER;
  test(`${isSummarizer ? "j2" : "j11"}: in a page, no fault of a server that ${client.name} asks harms a conversation`, async ({ page: tab }) => {
    test.setTimeout(180_000);
    const home = await serve(({ request, response }) => page(request, response) || sendHealthy(response, client));
    await tab.goto(home.origin);
    for (const row of FAULTS.filter(({ only }) => only !== (isSummarizer ? "whole" : "stream"))) {
      await test.step(`${row.fault}: ${row.phase}`, async () => {
        const server = await faulty(row.act, client, (request, response) => page(request, response));
        const given = { name: client.name, isSummarizer, faultyURL: server.baseURL, healthyURL: home.baseURL, key: KEY, limits: row.limits, patient: PATIENT, summary: SUMMARY };
        const found = await tab.evaluate(attempt, given);
        server.close();
        const where = `${row.fault}: ${row.phase}: ${JSON.stringify(found.thrown)}`;
        const codes = row.codes ?? (found.outcome === "failed" ? row.inPage : undefined);
        if (codes === undefined) {
          expect(found.outcome, where).toBe("applied");
          expect(found.summary.startsWith(SUMMARY), where).toBe(true);
        } else {
          expect(found.outcome, where).toBe(isSummarizer ? "failed" : "applied");
          expect(found.thrown.isOurs, where).toBe(true);
          expect(codes, where).toContain(found.thrown.code);
          expect(found.thrown.message).not.toContain(KEY);
        }
        expect(found).toMatchObject({ whole: true, wholeAgain: true, next: "applied", issues: 0 });
      });
    }
    home.close();
  });
}

/** In the page: a vocabulary that cannot be loaded, and then one that can. */
async function load({ faultyURL, healthyURL }) {
  const { createCompactor, isEpitomeError, loadEncoding } = await import("/package/entrypoints/index.js");
  const policy = { window: 1_000 };
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize: () => "They planned." });
  compactor.append({ role: "user", content: "How many beds are there?" });
  const before = compactor.status().tokens;
  const error = await loadEncoding("cl100k_base", faultyURL).then(() => undefined, (thrown) => thrown);
  const result = { code: error?.code, isOurs: isEpitomeError(error), message: error?.message, unchanged: compactor.status().tokens === before };
  if (healthyURL !== undefined) {
    await loadEncoding("cl100k_base", healthyURL);
    compactor.setPolicy({ ...policy, counting: { encoding: "cl100k_base" } });
    result.tokens = compactor.status().tokens;
  }
  compactor.dispose();
  return result;
}

test("j23: in a page, no fault of a server that sends a vocabulary harms a conversation", async ({ page: tab }) => {
  const home = await serve(({ request, response }) => {
    if (request.url === "/vocabulary") response.writeHead(200, { "access-control-allow-origin": "*" }).end(VOCABULARY);
    else page(request, response);
  });
  await tab.goto(home.origin);
  for (const [index, { fault, act }] of FILE_FAULTS.entries()) {
    const allowed = (asked) => {
      asked.response.setHeader("access-control-allow-origin", "*");
      act(asked, VOCABULARY, OTHER);
    };
    const server = await faulty(act && allowed, {});
    const last = index === FILE_FAULTS.length - 1;
    const found = await tab.evaluate(load, { faultyURL: `${server.baseURL}/file`, healthyURL: last ? `${home.origin}/vocabulary` : undefined });
    server.close();
    expect(found, fault).toMatchObject({ isOurs: true, unchanged: true });
    expect(["encoding-unavailable", "invalid-vocabulary"], `${fault}: ${found.message}`).toContain(found.code);
    if (last) expect(found.tokens).toBeGreaterThan(0);
  }
  home.close();
});
