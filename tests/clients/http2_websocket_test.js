// Node's HTTP/2 client against our WebSockets (RFC 8441), several on one connection: http2_websocket_test.js SERVER. Frames
// are written and read here: the WebSocket clients know HTTP/1.1 only.
const assert = require("assert");
const { spawn } = require("child_process");
const { once } = require("events");
const http2 = require("http2");

const CLOSE = 8, PING = 9, PONG = 10;

class Socket {
  constructor(stream) {
    this.stream = stream;
    this.pieces = [];
    this.size = 0;
    this.more = () => {};
    this.over = false;
    stream.on("data", piece => {
      this.pieces.push(piece);
      this.size += piece.length;
      this.more();
    });
    stream.on("end", () => {
      this.over = true;
      this.more();
    });
  }

  send(opcode, payload) {
    const bytes = Buffer.from(payload);
    const length = bytes.length < 126 ? 0 : bytes.length < 65536 ? 2 : 8;
    const head = Buffer.alloc(2 + length + 4);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | (length === 0 ? bytes.length : length === 2 ? 126 : 127);
    if (length === 2) head.writeUInt16BE(bytes.length, 2);
    if (length === 8) head.writeBigUInt64BE(BigInt(bytes.length), 2);
    const key = [0x37, 0xfa, 0x21, 0x3d];
    head.set(key, 2 + length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] ^= key[i & 3];
    this.stream.write(Buffer.concat([head, bytes]));
  }

  async take(size) {
    while (this.size < size) {
      assert.ok(!this.over, "the stream has ended");
      await new Promise(resolve => (this.more = resolve));
    }
    const all = Buffer.concat(this.pieces);
    this.pieces = [all.subarray(size)];
    this.size -= size;
    return all.subarray(0, size);
  }

  async next() {
    const head = await this.take(2);
    let length = head[1];
    if (length === 126) length = (await this.take(2)).readUInt16BE();
    if (length === 127) length = Number((await this.take(8)).readBigUInt64BE());
    return [head[0], await this.take(length)];
  }
}

async function join(session, path, fields = {}) {
  const stream = session.request({
    ":method": "CONNECT", ":protocol": "websocket", ":path": path, "sec-websocket-version": "13", ...fields,
  });
  const [answer] = await once(stream, "response");
  return [new Socket(stream), answer];
}

async function echo(session, path) {
  const [socket, answer] = await join(session, path, { "sec-websocket-protocol": "v1, v2" });
  assert.strictEqual(answer[":status"], 200);
  if (path === "/echo") assert.strictEqual(answer["sec-websocket-protocol"], "v2");
  for (const size of [0, 1, 125, 126, 65535, 65536, 3000000]) {
    for (const opcode of [1, 2]) {
      const message = Buffer.alloc(size, "x");
      socket.send(opcode, message);
      const [kind, payload] = await socket.next();
      assert.strictEqual(kind, 0x80 | opcode);
      assert.ok(payload.equals(message));
    }
  }
  socket.send(PING, "are you there");
  assert.deepStrictEqual(await socket.next(), [0x80 | PONG, Buffer.from("are you there")]);
  socket.send(CLOSE, Buffer.from([4002 >> 8, 4002 & 0xff]));
  const [kind, payload] = await socket.next();
  assert.strictEqual(kind, 0x80 | CLOSE);
  assert.strictEqual(payload.readUInt16BE(), 4002);
  socket.stream.end();
  await once(socket.stream, "close");
}

(async () => {
  const server = spawn(process.argv[2], ["--port", "0", "--threads", "2"], { stdio: ["ignore", "ignore", "pipe"] });
  try {
    const [line] = await once(server.stderr, "data");
    const session = http2.connect(`http://127.0.0.1:${/serving 127\.0\.0\.1:(\d+)/.exec(line)[1]}`);
    if (!session.remoteSettings.enableConnectProtocol) await once(session, "remoteSettings");
    assert.ok(session.remoteSettings.enableConnectProtocol);
    await Promise.all(["/echo", "/object", "/echo", "/object"].map(path => echo(session, path)));
    const [, refused] = await join(session, "/nothing");
    assert.strictEqual(refused[":status"], 404);
    const [last] = await join(session, "/echo");
    server.kill("SIGTERM");
    const [kind, payload] = await last.next();
    assert.strictEqual(kind, 0x80 | CLOSE);
    assert.strictEqual(payload.readUInt16BE(), 1001);
    last.send(CLOSE, payload.subarray(0, 2));
    last.stream.end();
    const [code] = await once(server, "exit");
    assert.strictEqual(code, 0);
  } finally {
    server.kill("SIGKILL");
  }
})().catch(error => {
  console.error(error);
  process.exit(1);
});
