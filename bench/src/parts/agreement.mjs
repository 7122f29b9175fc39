// Whether exact counts equal tiktoken's: on every text of the corpus, on random strings and on worst cases.

import { corpus, sample } from "../corpus.mjs";
import { prng } from "../../../tests/node/random.mjs";
import { countTokens } from "../epitome.mjs";
import { counters } from "../node-peers.mjs";
import { worstCase, worstCases } from "../worst-cases.mjs";

/** Characters and words at which pre-tokenizing splits. */
const FRAGMENTS = [
  ..."aBÉß1!/中한ก٣ \t\n\u200d\u00a0\u3000",
  ...["'s", "'LL", "’ve", "  ", "\r\n", "2345", "...", "かな", "ि", "é", "👍🏽"],
];

const SPECIAL = [
  "<|endoftext|>",
  "<|endofprompt|>",
  "<|im_start|>",
  "<|im_end|>",
  "<|fim_prefix|>",
  "<|fim_middle|>",
  "<|fim_suffix|>",
];

export async function measure({ quick, progress }) {
  const { count: reference } = await counters.tiktoken();
  const groups = [];
  const compare = async (group, texts) => {
    progress(group);
    const result = { group, texts: 0, tokens: 0, different: 0, thrown: 0 };
    for (const text of texts) {
      const expected = reference(text);
      result.texts += 1;
      result.tokens += expected;
      try {
        result.different += (await countTokens(text)) === expected ? 0 : 1;
      } catch {
        result.thrown += 1;
      }
    }
    groups.push(result);
  };

  await compare(
    "corpus",
    corpus().flatMap((one) => (quick ? sample(one, 60_000) : one.sources.flat(2))),
  );
  await compare("random Unicode strings", randomStrings(quick ? 10_000 : 100_000));
  for (const bytes of quick ? [10_000] : [10_000, 100_000]) {
    await compare(
      `worst cases of ${bytes / 1000} kB`,
      worstCases.map((name) => worstCase(name, bytes)),
    );
  }
  await compare(
    "text of special tokens",
    SPECIAL.flatMap((token) => [token, `${token}${token}`, `a ${token} b`, token.slice(1), `\n\n${token}\n`]),
  );
  return { groups };
}

/** Strings of any characters, of characters below U+3000, and of fragments at which pre-tokenizing splits. */
function* randomStrings(texts) {
  const below = prng(20_261);
  for (let index = 0; index < texts; index += 1) {
    const shape = below(3);
    yield Array.from({ length: 1 + below(40) }, () => {
      if (shape === 2) return FRAGMENTS[below(FRAGMENTS.length)];
      const code = below(shape === 0 ? 0x110000 : 0x3000);
      // A lone surrogate is not a character.
      return code >= 0xd800 && code < 0xe000 ? "A" : String.fromCodePoint(code);
    }).join("");
  }
}
