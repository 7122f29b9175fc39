// Summarizers by Chrome's models, against a mock of the two interfaces: no browser that runs the tests has them. It shows what is asked of
// a browser and what becomes of its answers and errors, not that a browser does so.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { chromeAvailability, chromePrompt, chromeSummarizer, createCompactor } from "epitome";
import { longChat } from "./fixtures.mjs";
import { mockChrome, SUMMARY } from "./mock-chrome.mjs";

let chrome;
beforeEach(() => {
  chrome = mockChrome();
});
afterEach(() => chrome.restore());

const REQUEST = { system: "Summarize.", input: "[1] user:\nWe plan a garden.", maxTokens: 50 };
const BOTH = [["chromePrompt", chromePrompt, "prompt"], ["chromeSummarizer", chromeSummarizer, "summarizer"]];

/** What a compaction of a long chat comes to. */
async function compacted(summarize, policy = {}) {
  const events = [];
  const compactor = await createCompactor({ format: "openai-chat", policy: { window: 1_000, ...policy }, summarize, onEvent: (event) => events.push(event) });
  compactor.append(longChat(60));
  const report = await compactor.compact();
  compactor.dispose();
  return { report, events };
}

for (const [name, create, api] of BOTH) {
  test(`i40: ${name} summarizes a conversation, shows its deltas, and frees the model`, async () => {
    const { report, events } = await compacted(create());
    assert.equal(report.outcome, "applied", report.message);
    assert.ok(report.summary.includes("They planned the garden, and bought compost."), report.summary);
    assert.ok(events.filter(({ type }) => type === "delta").length > 1);
    assert.ok(chrome.asked.length > 0 && chrome.asked.every((input) => input.includes("user")), "the transcript");
    assert.equal(chrome.open, 0);
  });

  test(`i40: without the model, ${name} says so, and the next summarizer is asked`, async () => {
    for (const take of [chrome.restore, () => Object.assign(globalThis, { LanguageModel: {}, Summarizer: {} })]) {
      take();
      assert.equal(await chromeAvailability(api), "unavailable");
      await assert.rejects(create()(REQUEST), (error) => {
        assert.equal(error.code, "misconfigured");
        assert.match(error.message, /this browser has no (LanguageModel|Summarizer): .*take another summarizer/);
        return true;
      });
    }
    const { report } = await compacted(create(), { summary: { fallbackSummarizers: ["extractive"] } });
    assert.equal(report.outcome, "applied");
    assert.equal(report.summarizer.steps[0].summarizer, "extractive");
  });

  test(`i40: ${name} tells the progress of a download, and what a listener throws changes nothing`, async () => {
    chrome.availability = "downloadable";
    const shares = [];
    assert.equal(await chromeAvailability(api), "downloadable");
    const onDownload = (share) => {
      shares.push(share);
      throw new Error("not mine");
    };
    assert.equal((await create({ onDownload })(REQUEST)).text, SUMMARY);
    assert.deepEqual(shares, [0, 0.5, 1]);
    assert.equal(await chromeAvailability(api), "available");
  });

  test(`i40: what does not fit the window of ${name} is asked for in smaller chunks`, async () => {
    chrome.window = 900;
    const policy = { window: 4_000, summary: { chunkCharacters: 100_000 } };
    const events = [];
    const compactor = await createCompactor({ format: "openai-chat", policy, summarize: create({ state: false, ...(api === "prompt" ? {} : { state: undefined }) }) });
    compactor.append(longChat(300));
    const report = await compactor.compact();
    compactor.dispose();
    assert.equal(report.outcome, "applied", report.message);
    const { steps } = report.summarizer;
    assert.ok(steps.length > 0 && steps.every(({ step }) => step === "smallerChunks"), JSON.stringify(steps));
    assert.match(steps[0].because, /exceeds the available context size \(900 tokens\)/);
    assert.deepEqual([events, chrome.open], [[], 0]);
  });

  test(`i40: an abort and every error of ${name} end the request, and the model is freed`, async () => {
    const controller = new AbortController();
    const onDelta = () => controller.abort();
    await assert.rejects(create()(REQUEST, { signal: controller.signal, onDelta }), { code: "aborted" });
    assert.equal(chrome.open, 0);
    const cases = [
      ["NotAllowedError", "misconfigured", undefined],
      ["NotSupportedError", "misconfigured", undefined],
      ["NotReadableError", "filtered", undefined],
      ["UnknownError", "overloaded", true],
    ];
    for (const [thrown, code, retryable] of cases) {
      for (const place of ["fails", "failsLater"]) {
        chrome[place] = Object.assign(new Error("The browser's own words."), { name: thrown });
        await assert.rejects(create()(REQUEST), (error) => {
          assert.deepEqual([error.code, error.retryable], [code, retryable], thrown);
          assert.match(error.message, /The browser's own words\./);
          return true;
        });
        chrome[place] = undefined;
        assert.equal(chrome.open, 0);
      }
    }
    chrome.answer = " \n";
    await assert.rejects(create()(REQUEST), { code: "empty" });
  });

  test(`i40: wrong options and requests of ${name} are refused before a model is loaded`, async () => {
    for (const options of [{ languages: "en" }, { languages: [5] }, { onDownload: 5 }, null, 5]) {
      assert.throws(() => create(options), { code: "invalid-option" });
    }
    await assert.rejects(create()({ ...REQUEST, input: 5 }), { code: "invalid-option" });
    await assert.rejects(create()({ ...REQUEST, messages: [] }), { code: "refused" });
    await assert.rejects(create()(REQUEST, { signal: {} }), { code: "invalid-option" });
    assert.throws(() => chromeSummarizer({ type: "poem" }), { code: "invalid-option" });
    assert.throws(() => chromeSummarizer({ length: "endless" }), { code: "invalid-option" });
    await assert.rejects(chromeAvailability("Translator"), { code: "invalid-option" });
    assert.deepEqual(chrome.created.length, 0);
  });
}

test("i40: the prompt model gets the instructions and the languages, and its window by either name", async () => {
  for (const older of [false, true]) {
    chrome.older = older;
    chrome.window = 4_096;
    const completion = await chromePrompt({ languages: ["de", "en"] })(REQUEST);
    assert.deepEqual([completion.text, completion.instructed], [SUMMARY, true]);
    assert.deepEqual(chrome.created.at(-1), {
      expectedInputs: [{ type: "text", languages: ["de", "en"] }],
      expectedOutputs: [{ type: "text", languages: ["de"] }],
      initialPrompts: [{ role: "system", content: REQUEST.system }],
    });
    chrome.window = 59;
    await assert.rejects(chromePrompt()(REQUEST), { code: "too-long", message: /request \(60 tokens\) exceeds the available context size \(59 tokens\)/ });
    chrome.window = 60;
    assert.equal((await chromePrompt()(REQUEST)).text, SUMMARY);
  }
  chrome.fails = Object.assign(new Error("Not here."), { name: "NotAllowedError" });
  assert.equal(await chromeAvailability("prompt"), "unavailable");
});

test("i40: the summarizer gets the length that a summary may have, and what it reads", async () => {
  for (const [targetTokens, length] of [[80, "short"], [200, "medium"], [800, "long"]]) {
    const completion = await chromeSummarizer({ languages: ["en"] })({ ...REQUEST, targetTokens });
    assert.equal(completion.instructed, false);
    const { sharedContext, ...options } = chrome.created.at(-1);
    assert.match(sharedContext, /conversation of a user with an assistant/);
    assert.deepEqual(options, { type: "key-points", format: "markdown", length, expectedInputLanguages: ["en"], outputLanguage: "en" });
  }
  await chromeSummarizer({ type: "tldr", length: "short" })({ ...REQUEST, targetTokens: 800 });
  assert.deepEqual([chrome.created.at(-1).type, chrome.created.at(-1).length], ["tldr", "short"]);
});
