// Exact counts by the tokenizer.json of real models equal those of the package that contains the file.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { countTokens, createCompactor, loadTokenizer } from "epitome";
import { said } from "./harness.mjs";
import { prng } from "./random.mjs";

/** The packages have a lock file of their own, since their files take 290 MB. */
const folder = new URL("../tokenizers/", import.meta.url);
const skip = existsSync(new URL("node_modules", folder))
  ? false
  : `the models' packages are not installed; run \`npm ci\` in ${fileURLToPath(folder)}`;
/** What a message costs besides its text. */
const AROUND = 4;
const MODELS = ["llama3_1", "qwen3", "deepseek_v3", "mistral_nemo"];

const TEXTS = [
  "",
  " ",
  "The quick brown fox jumps over the lazy dog. It's what they'd've said, isn't it? WE'LL SEE, HE'S IT.",
  "Ein längerer Satz über Größe; naïve façade, cafe\u0301 und Ångström (A\u030angstro\u0308m).",
  "Съешь же ещё этих мягких французских булок, да выпей чаю. Їжак їсть ґудзики.",
  "世界，你好。我们明天去北京大学开会（上午九点）！",
  "日本語のテキスト、カタカナとひらがな。ﾊﾝｶｸ ＦＵＬＬ　ＷＩＤＴＨ",
  "한국어 텍스트는 띄어쓰기가 있습니다. 각\u1100\u1161\u11a8",
  "مرحبا بالعالم، كيف حالك؟ السَّلامُ عَلَيْكُمْ",
  "नमस्ते दुनिया, क्षत्रिय। สวัสดีชาวโลก กรุงเทพฯ",
  "שלום עולם, γειά σου Κόσμε, გამარჯობა, Xin chào thế giới",
  "👋🏽 👩‍👩‍👧‍👦 🇨🇭 🏳️‍🌈 ☃️ ✂ 🫠🫨",
  "0 1 12 123 1234 12345 1234567890 3.14159 1,000,000 0xDEADBEEF ١٢٣٤ ४५६ Ⅷ ½ ²",
  "function f(x) {\n\treturn x ** 2; // 1234567\n}\r\n\r\n   const a = {b: [1, 2], 'c': `d${e}`};\n",
  "def greet(name: str) -> None:\n    \"\"\"Say hello.\"\"\"\n    print(f'Hello, {name}!')\n\n\n# end\n",
  "<html><body class=\"a-b_c\">&nbsp;</body></html>\n{\"key\": [null, true, -1.5e-7], \"k\\u00e9y\": \"\\n\"}",
  "SELECT * FROM users WHERE id = 42 AND name LIKE '%o''brien%'; -- a comment",
  "https://example.com/a/b?c=d&e=%20f#g  C:\\Windows\\System32  /usr/local/bin  user@host.org",
  "camelCaseAndPascalCase snake_case_and_SCREAMING_CASE kebab-case XMLHttpRequest iOS17 a1b2c3",
  "  two  spaces   three    four\t\ttabs \t mixed \n\n\n newlines \r\n crlf \r cr \u00a0nbsp\u2003em\u3000wide  ",
  "\n", "\n\n", " \n \n", "\t\n\t", "\r\n\r\n", "   a", "a   ", "\u2028\u2029\u0085",
  "!!!??? ... --- === *** ###@@@ $$$%%% ^^^&&& ((()))[[[]]] ~~~``` |||\\\\\\ ///",
  "\0\u0001\u001b[31mred\u001b[0m\u007f\ufeff\u200b\u200d\ufffd",
  "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|end_of_text|>",
  "<|im_start|>system\nBe brief.<|im_end|>\n<|endoftext|><think>no</think><tool_call>",
  "<｜begin▁of▁sentence｜><｜User｜>Hi<｜Assistant｜><｜end▁of▁sentence｜>",
  "<s>[INST] Hi [/INST]</s><unk><pad>[TOOL_CALLS]",
  "aGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0LCB3aGljaCBoYXMgbm8gd29yZHM= 5d41402abc4b2a76b9719d911017c592",
  "a".repeat(3_000),
  " ".repeat(1_000),
  "=".repeat(700) + "\n".repeat(300),
  "字".repeat(500),
];

/** Texts of random characters: of all planes, of the first two thirds of the first plane, and fragments at which pre-tokenizers cut. */
function randomTexts(count) {
  const random = prng(20_260_101);
  const fragments = ["a", "A", " ", "  ", "\n", "\r\n", "1", "12", "'s", "'LL", "é", "e\u0301", "字", "か", "👍", "!", "/", "、", "\t", "ß", "ǅ"];
  return Array.from({ length: count }, (_, index) => {
    const pick = () => {
      if (index % 3 === 2) return fragments[random(fragments.length)];
      const code = random(index % 3 === 0 ? 0x110000 : 0xa000);
      return code >= 0xd800 && code < 0xe000 ? "A" : String.fromCodePoint(code);
    };
    return Array.from({ length: 1 + random(60) }, pick).join("");
  });
}

/** A tokenizer of a model's file that counts as the package does. Added tokens are removed, so that their text is plain text. */
function peer(model) {
  const require = createRequire(folder);
  const { TokenizerLoader } = require("@lenml/tokenizers");
  const read = (name) => JSON.parse(readFileSync(require.resolve(`@lenml/tokenizer-${model}/models/${name}.json`), "utf8"));
  const tokenizerJSON = { ...read("tokenizer"), added_tokens: [] };
  const tokenizer = TokenizerLoader.fromPreTrained({ tokenizerJSON, tokenizerConfig: read("tokenizer_config") });
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).length;
}

const file = (model) => readFileSync(createRequire(folder).resolve(`@lenml/tokenizer-${model}/models/tokenizer.json`));

for (const model of MODELS) {
  test(`texts are counted as ${model} counts them, by its tokenizer.json`, { skip }, async () => {
    const count = peer(model);
    await loadTokenizer(model, file(model));
    for (const text of [...TEXTS, ...randomTexts(600)]) {
      assert.equal(await countTokens(text, { tokenizer: model }), count(text), JSON.stringify(text));
    }
  });
}

test("b1: a compactor counts by the tokenizer.json of a model", { skip }, async () => {
  const compactor = await createCompactor({
    format: "openai-chat",
    policy: { counting: { tokenizer: "qwen3" } },
    tokenizers: { qwen3: file("qwen3") },
  });
  const texts = TEXTS.filter((text) => text.trim() !== "");
  compactor.append(texts.map((text) => said("user", text)));
  let expected = 0;
  for (const text of texts) expected += (await countTokens(text, { tokenizer: "qwen3" })) + AROUND;
  assert.deepEqual([compactor.status().tokens, compactor.status().exact], [expected, true]);
  compactor.dispose();
});
