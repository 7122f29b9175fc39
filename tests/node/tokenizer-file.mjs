// A tokenizer in Hugging Face's file format: all bytes as tokens, and the given merges.

/** The content of a `tokenizer.json` with these merges, each as two tokens with a space between. */
export function tokenizerFile(...merges) {
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at));
  const letters = [...range(0x21, 0x7e), ...range(0xa1, 0xac), ...range(0xae, 0xff), ...range(0x100, 0x143)];
  const made = merges.map((merge) => merge.replace(" ", ""));
  const vocab = Object.fromEntries([...letters, ...made].map((token, number) => [token, number]));
  return {
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false },
    model: { type: "BPE", vocab, merges },
  };
}
