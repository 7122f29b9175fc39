// Inputs that make tokenizers slow: runs that no cut divides, and characters that no token joins.

import { prng } from "./prng.mjs";

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

/** By name: what makes the text, and the bytes that a character of it takes. */
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

/** The text of a case, of about so many bytes in UTF-8. Random ones differ by the seed, which is not 0. */
export function worstCase(name, bytes, seed = 7) {
  const [text, width] = CASES[name];
  return text(Math.floor(bytes / width), seed);
}
