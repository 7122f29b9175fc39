// The other packages that run in Node and in browsers, each as a candidate.
//
// A candidate has a `name`, counts a text with `count`, and removes with `clearCache` what it has cached of counted texts.
// Special tokens count as plain text if the package has a setting for that.

const NO_CACHE = () => {};

export const estimators = {
  async tokenx() {
    const { estimateTokenCount } = await import("tokenx");
    return { name: "tokenx", count: estimateTokenCount, clearCache: NO_CACHE };
  },
};

export const counters = {
  async "gpt-tokenizer"() {
    const { clearMergeCache, countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    const plain = { disallowedSpecial: new Set() };
    return { name: "gpt-tokenizer", count: (text) => countTokens(text, plain), clearCache: clearMergeCache };
  },
  async "ai-tokenizer"() {
    const [{ Tokenizer }, encoding] = await Promise.all([
      import("ai-tokenizer"),
      import("ai-tokenizer/encoding/o200k_base"),
    ]);
    const tokenizer = new Tokenizer(encoding);
    // Its `count` has no settings, and throws if a special token is in the text.
    return {
      name: "ai-tokenizer",
      count: (text) => tokenizer.encode(text, [], []).length,
      clearCache: () => tokenizer.mergeCache.clear(),
    };
  },
};
