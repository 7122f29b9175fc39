// What a server may do wrong with a file that the package loads, as one table.

const TYPE = { "content-type": "application/wasm" };
const half = (file) => file.subarray(0, file.length >> 1);

/** Each fault: what the server does instead of sending `file`. */
export const FILE_FAULTS = [
  { fault: "absent", act: undefined },
  { fault: "torn, before the answer", act: ({ response }) => response.socket.end("HTTP/1.1 200 OK\r\ncontent-ty") },
  { fault: "torn, in the middle", act: ({ response }, file) => response.writeHead(200, { ...TYPE, "content-length": file.length }).write(half(file), () => response.socket.destroy()) },
  { fault: "half, with a proper end", act: ({ response }, file) => response.writeHead(200, TYPE).end(half(file)) },
  { fault: "wrong: a web page", act: ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><h1>Welcome</h1>") },
  { fault: "wrong: an empty body", act: ({ response }) => response.writeHead(200, TYPE).end() },
  { fault: "wrong: another file", act: ({ response }, _, other) => response.writeHead(200, TYPE).end(other) },
  { fault: "wrong: a bit", act: ({ response }, file) => response.writeHead(200, TYPE).end(Buffer.concat([half(file), Buffer.from([file[file.length >> 1] ^ 4]), file.subarray((file.length >> 1) + 1)])) },
  { fault: "wrong: the status 404", act: ({ response }) => response.writeHead(404).end() },
  { fault: "wrong: the status 500", act: ({ response }) => response.writeHead(500).end("{}") },
  { fault: "hostile: zeros", act: ({ response }) => response.writeHead(200, TYPE).end(Buffer.alloc(10_000_000)) },
  { fault: "hostile: deep JSON", act: ({ response }) => response.writeHead(200, TYPE).end("[".repeat(100_000)) },
  { fault: "gone, in the middle", act: ({ response, server }, file) => response.writeHead(200, TYPE).write(half(file), () => server.close()) },
];
