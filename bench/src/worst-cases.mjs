// Inputs that make tokenizers slow: long runs that pre-tokenizing does not split, and characters that no token joins.

import { prng } from "../../tests/node/random.mjs";

/** Letters from `first` to `last`. */
const range = (first, last) =>
  Array.from({ length: last.codePointAt(0) - first.codePointAt(0) + 1 }, (_, index) =>
    String.fromCodePoint(first.codePointAt(0) + index),
  );

const random = (alphabet) => (characters, seed) => {
  const below = prng(seed);
  return Array.from({ length: characters }, () => alphabet[below(alphabet.length)]).join("");
};

const repeated = (unit) => (characters) => unit.repeat(characters);

const [small, capital, digits] = [range("a", "z"), range("A", "Z"), range("0", "9")];

/** By name: the function that makes the text, and the bytes of one of its characters. */
const CASES = {
  "one letter": [repeated("a"), 1],
  spaces: [repeated(" "), 1],
  newlines: [repeated("\n"), 1],
  "=": [repeated("="), 1],
  "random letters": [random(small), 1],
  base64: [random([...capital, ...small, ...digits, "+", "/"]), 1],
  hex: [random([...digits, ...range("a", "f")]), 1],
  "one CJK character": [repeated("中"), 3],
  "random Thai": [random(range("ก", "ฮ")), 3],
};

export const worstCases = Object.keys(CASES);

/** The text of a case, with about this many bytes of UTF-8. Random texts depend on the seed, which must not be 0. */
export function worstCase(name, bytes, seed = 7) {
  const [text, width] = CASES[name];
  return text(Math.floor(bytes / width), seed);
}
