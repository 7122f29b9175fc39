// A mock of `LanguageModel` and `Summarizer`, after the published drafts of the Prompt API and of the Writing Assistance APIs. It is no
// model: it answers with what it is told to.

export const SUMMARY = "## Key facts\nThey planned the garden, and bought compost.";

/** A token has four characters here. */
const tokensOf = (text) => Math.ceil(text.length / 4);

const named = (name, message, more = {}) => Object.assign(new Error(message), { name }, more);

/** The error of the drafts for an input that is too long: with what was requested, and how much there may be. */
const quotaExceeded = (requested, quota) => named("QuotaExceededError", "The input is too large.", { requested, quota });

function streamOf(text, signal) {
  const pieces = text.match(/.{1,12}/gsu) ?? [];
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted) return controller.error(signal.reason);
      const piece = pieces.shift();
      return piece === undefined ? controller.close() : controller.enqueue(piece);
    },
  });
}

/**
 * Puts both into the global object, and returns what happens to them: `created` are the options of each session, `asked` its
 * inputs, `open` how many are not destroyed. `availability`, `answer`, `window`, `fails` (an error to throw when a session is
 * created) and `older` (the former names of the counts) may be changed at any time. `restore()` takes them away.
 */
export function mockChrome() {
  const state = { availability: "available", answer: SUMMARY, window: 4_096, created: [], asked: [], open: 0, fails: undefined, failsLater: undefined, older: false };

  const create = async (options, session) => {
    const { signal, monitor, ...rest } = options;
    signal?.throwIfAborted();
    if (state.fails) throw state.fails;
    state.created.push(rest);
    if (state.availability === "unavailable") throw named("NotSupportedError", "The device cannot run the model.");
    if (state.availability === "downloadable") {
      const target = new EventTarget();
      monitor?.(target);
      for (const loaded of [0, 0.5, 1]) target.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded, total: 1 }));
      state.availability = "available";
    }
    state.open += 1;
    return { ...session(rest), destroy: () => (state.open -= 1) };
  };
  const ask = (input, { signal } = {}) => {
    state.asked.push(input);
    if (state.failsLater) throw state.failsLater;
    return streamOf(state.answer, signal);
  };

  class LanguageModel {
    static availability = async (options) => (state.fails?.name === "NotAllowedError" ? Promise.reject(state.fails) : ((state.created.probe = options), state.availability));
    static create = (options = {}) =>
      create(options, ({ initialPrompts = [] }) => {
        const used = tokensOf(initialPrompts.map(({ content }) => content).join(""));
        const counts = state.older
          ? { inputUsage: used, inputQuota: state.window, measureInputUsage: async (input) => tokensOf(input) }
          : { contextUsage: used, contextWindow: state.window, measureContextUsage: async (input) => tokensOf(input) };
        return { ...counts, promptStreaming: ask };
      });
  }
  class Summarizer {
    static availability = async () => state.availability;
    static create = (options = {}) =>
      create(options, () => ({
        inputQuota: state.window,
        measureInputUsage: async (input) => tokensOf(input),
        summarizeStreaming: (input, more) => {
          if (tokensOf(input) > state.window) throw quotaExceeded(tokensOf(input), state.window);
          return ask(input, more);
        },
      }));
  }
  Object.assign(globalThis, { LanguageModel, Summarizer });
  state.restore = () => {
    delete globalThis.LanguageModel;
    delete globalThis.Summarizer;
  };
  return state;
}
