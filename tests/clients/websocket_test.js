// The client ws of Debian's node-ws against our WebSockets: websocket_test.js SERVER 0|1, 1 where it compresses.
const assert = require("assert");
const { spawn } = require("child_process");
const { once } = require("events");
const WebSocket = require("ws");

const [, , program, deflate] = process.argv;
let base;

async function connect(path, options = { perMessageDeflate: false }, protocols = []) {
  const socket = new WebSocket(base + path, protocols, options);
  socket.queue = [];
  socket.on("message", (data, isBinary) => socket.queue.push([data, isBinary]));
  await once(socket, "open");
  return socket;
}

async function heard(socket) {
  while (socket.queue.length === 0) await once(socket, "message");
  return socket.queue.shift();
}

async function text(socket) {
  const [data, isBinary] = await heard(socket);
  assert.ok(!isBinary);
  return data.toString();
}

async function close(socket, code, reason) {
  socket.close(code, reason);
  const [answered] = await once(socket, "close");
  assert.strictEqual(answered, code);
}

async function echo(socket) {
  for (const size of [0, 1, 125, 126, 65535, 65536, 65537, 3000000]) {
    for (const message of ["x".repeat(size), "\u20ac".repeat(size / 3), Buffer.alloc(size, 7)]) {
      socket.send(message);
      const [data, isBinary] = await heard(socket);
      assert.strictEqual(isBinary, typeof message !== "string");
      assert.ok(data.equals(Buffer.from(message)));
    }
  }
  socket.send("frag", { fin: false });
  socket.ping("between fragments");
  socket.send("", { fin: false });
  socket.send("ments", { fin: true });
  const [[pong], whole] = await Promise.all([once(socket, "pong"), text(socket)]);
  assert.strictEqual(whole, "fragments");
  assert.strictEqual(pong.toString(), "between fragments");
  for (let i = 0; i < 20; ++i) {  // each looks like the one before
    const message = JSON.stringify(Array.from({ length: 100 }, (_, j) => ({ number: j, text: "\u00e9".repeat(i * j % 50) })));
    socket.send(message);
    assert.strictEqual(await text(socket), message);
  }
  await close(socket, 4002, "done");
}

const tests = {
  async every_kind_of_message() {
    for (const path of ["/echo", "/object", "/together"]) await echo(await connect(path));
  },

  async compression_with_and_without_context_takeover() {
    if (deflate !== "1") return;
    const offers = [
      ["/separate", {}, ["server_no_context_takeover", "client_no_context_takeover"]],
      ["/together", {}, []],
      ["/together", { serverNoContextTakeover: true }, ["server_no_context_takeover"]],
      ["/together", { clientNoContextTakeover: true }, ["client_no_context_takeover"]],
      ["/together", { serverMaxWindowBits: 10, clientMaxWindowBits: 10 }, ["server_max_window_bits=10", "client_max_window_bits=10"]],
    ];
    for (const [path, offer, terms] of offers) {
      const socket = new WebSocket(base + path, { perMessageDeflate: { threshold: 0, ...offer } });
      const answered = once(socket, "upgrade");
      const opened = once(socket, "open");
      const [answer] = await answered;
      assert.deepStrictEqual(answer.headers["sec-websocket-extensions"].split("; "), ["permessage-deflate", ...terms]);
      await opened;
      socket.queue = [];
      socket.on("message", (data, isBinary) => socket.queue.push([data, isBinary]));
      await echo(socket);
    }
  },

  async our_pings_are_answered() {
    const socket = await connect("/pinged");
    for (let i = 0; i < 3; ++i) await once(socket, "ping");
    socket.send("still here");
    assert.strictEqual(await text(socket), "still here");
    await close(socket, 1000, "");
  },

  async json() {
    const socket = await connect("/json");
    socket.send(JSON.stringify({ x: 7, name: "\u00e9" }));
    assert.deepStrictEqual(JSON.parse(await text(socket)), { x: -7, y: 7, name: "\u00e9" });
    socket.send("no JSON");
    assert.strictEqual((await once(socket, "close"))[0], 1007);
  },

  async close_codes_and_reasons() {
    for (const [code, reason] of [[1000, "done"], [3001, "r\u00e9"], [4999, "x".repeat(123)]]) {
      const socket = await connect("/ends");
      socket.send(JSON.stringify({ code, reason }));
      const [came, why] = await once(socket, "close");
      assert.deepStrictEqual([came, why.toString()], [code, reason]);
    }
    const watcher = await connect("/topics/closed");
    assert.strictEqual(await text(watcher), "subscribed");
    for (const [code, reason] of [[1000, ""], [3001, "r\u00e9"], [4999, "x".repeat(123)]]) {
      await close(await connect("/closed"), code, reason);
      assert.strictEqual(await text(watcher), `${code} ${reason}`);
    }
    (await connect("/closed")).close();  // neither
    assert.strictEqual(await text(watcher), "1005 ");
    (await connect("/closed")).terminate();
    assert.strictEqual(await text(watcher), "1006 ");
    await close(watcher, 1000, "");
  },

  async subprotocols_and_origins() {
    const socket = await connect("/echo", { perMessageDeflate: false }, ["v1", "v2"]);
    assert.strictEqual(socket.protocol, "v2");
    await close(socket, 1000, "");
    const refused = new WebSocket(base + "/echo", { origin: "http://evil.example" });
    refused.on("error", () => {});
    const [, answer] = await once(refused, "unexpected-response");
    assert.strictEqual(answer.statusCode, 403);
    answer.resume();
  },

  async topics() {
    const filters = ["today", "+", "%23"];
    const sockets = [];
    for (let i = 0; i < 12; ++i) sockets.push(await connect("/topics/news/" + filters[i % 3], { perMessageDeflate: i % 2 === 0 }));
    for (const socket of sockets) assert.strictEqual(await text(socket), "subscribed");
    for (const message of ["hello", "h".repeat(100000), Buffer.from([0, 255]), "again ".repeat(50)]) {
      sockets[0].send(message);
      for (const socket of sockets.slice(1)) {
        const [data, isBinary] = await heard(socket);
        assert.strictEqual(isBinary, typeof message !== "string");
        assert.ok(data.equals(Buffer.from(message)));
      }
    }
    for (const socket of sockets) await close(socket, 1000, "");
  },
};

(async () => {
  const server = spawn(program, ["--port", "0", "--threads", "2"], { stdio: ["ignore", "ignore", "pipe"] });
  try {
    const [line] = await once(server.stderr, "data");
    base = "ws://127.0.0.1:" + /serving 127\.0\.0\.1:(\d+)/.exec(line)[1];
    for (const [name, test] of Object.entries(tests)) {
      console.log(name);
      await test();
    }
    const last = await connect("/echo");
    server.kill("SIGTERM");
    assert.strictEqual((await once(last, "close"))[0], 1001);
    const [code] = await once(server, "exit");
    assert.strictEqual(code, 0);
  } finally {
    server.kill("SIGKILL");
  }
})().catch(error => {
  console.error(error);
  process.exit(1);
});
