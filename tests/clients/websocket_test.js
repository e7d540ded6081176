// The client ws: every kind of message, with and without compression. websocket_test.js BASE, with ws in NODE_PATH.
const assert = require("assert");
const { once } = require("events");
const WebSocket = require("ws");

const base = process.argv[2];

async function echo(path, options) {
  const socket = new WebSocket(base + path, options);
  await once(socket, "open");
  assert.strictEqual(socket.extensions.includes("permessage-deflate"), options.perMessageDeflate !== false);
  for (const size of [0, 1, 125, 126, 65535, 65536, 3000000]) {
    for (const message of ["x".repeat(size), Buffer.alloc(size, 7)]) {
      socket.send(message);
      const [data, isBinary] = await once(socket, "message");
      assert.strictEqual(isBinary, typeof message !== "string");
      assert.ok(data.equals(Buffer.from(message)));
    }
  }
  socket.send("frag", { fin: false });
  socket.send("ments", { fin: true });
  const [whole] = await once(socket, "message");
  assert.strictEqual(whole.toString(), "fragments");
  socket.ping("are you there");
  const [pong] = await once(socket, "pong");
  assert.strictEqual(pong.toString(), "are you there");
  socket.close(4002, "done");
  const [code] = await once(socket, "close");
  assert.strictEqual(code, 4002);
}

(async () => {
  await echo("/echo", { perMessageDeflate: false });
  await echo("/object", { perMessageDeflate: false });
  await echo("/separate", { perMessageDeflate: { threshold: 0 } });
  await echo("/together", { perMessageDeflate: { threshold: 0, clientMaxWindowBits: 10 } });
})().catch(error => {
  console.error(error);
  process.exit(1);
});
