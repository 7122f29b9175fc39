// A reporter for `node --test`: one line of JSON for each test.

export default async function* reporter(events) {
  for await (const { type, data } of events) {
    if (type === "test:pass" || type === "test:fail") {
      const { name, file, skip } = data;
      yield `${JSON.stringify({ name, file, skip, passed: type === "test:pass" })}\n`;
    }
  }
}
