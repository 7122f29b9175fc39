// Conversations of every format, damaged by chance: the same seed gives the same damage on every machine.

import { examples } from "../out/conformance/examples/index.js";

const isTree = (value) => typeof value === "object" && value !== null && !ArrayBuffer.isView(value);

/** Every place below a value: what holds it, and under which key. */
function places(value) {
  return Object.keys(value).flatMap((key) => [{ holder: value, key }, ...(isTree(value[key]) ? places(value[key]) : [])]);
}

/** Texts below a value, which are ids, roles and types too. */
const texts = (value) => places(value).map(({ holder, key }) => holder[key]).filter((text) => typeof text === "string");

function damageList(random, list) {
  const [at, other] = [random.below(list.length), random.below(list.length)];
  switch (random.below(5)) {
    case 0:
      list.splice(at, 1);
      break;
    case 1:
      list.splice(at, 0, structuredClone(list[at]));
      break;
    case 2:
      list.splice(other, 0, ...list.splice(at, 1));
      break;
    case 3:
      [list[at], list[other]] = [list[other], list[at]];
      break;
    default:
      list.splice(random.below(2) === 0 ? 0 : list.length - 1, 1);
  }
}

function damageOnce(random, messages) {
  if (messages.length > 0 && random.chance(40)) {
    damageList(random, messages);
    return;
  }
  const all = places(messages);
  if (all.length === 0) return;
  const { holder, key } = random.one(all);
  const value = holder[key];
  if (Array.isArray(value) && value.length > 0 && random.chance(70)) {
    damageList(random, value);
  } else if (typeof value === "string" && random.chance(80)) {
    holder[key] = random.chance(30) ? random.one(["", " ", "x"]) : random.one(texts(messages));
  } else if (!Array.isArray(holder) && random.chance(50)) {
    delete holder[key];
  } else {
    holder[key] = random.one([null, 5, "text", "", [], {}, true]);
  }
}

/** Messages of a format: a piece of a valid or a broken conversation, with no damage or a few. */
export function damaged(format, random) {
  const { valid, broken } = examples[format];
  const whole = random.chance(60) ? valid(1 + random.below(4)) : random.one(Object.values(broken));
  const messages = structuredClone([...whole]);
  const count = random.one([0, 1, 1, 1, 2, 3]);
  for (let done = 0; done < count; done += 1) {
    damageOnce(random, messages);
  }
  return messages;
}
