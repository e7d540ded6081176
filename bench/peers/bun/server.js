// Bun.serve with the routes of ../README.md. Arguments: port, threads; every thread is a process.
const [port, threads] = process.argv.slice(2).map(Number);

function hello() {
  return new Response("Hello, World!");
}

function user(request) {
  return new Response(request.params.id);
}

async function jsonPost(request) {
  const { name, value } = await request.json();
  return Response.json({ greeting: `Hello, ${name}!`, item: { name, value, double: 2 * value } });
}

async function upload(request) {
  let size = 0;
  for await (const piece of request.body) size += piece.length;
  return new Response(String(size));
}

// A pool of threads, made at the first computation; answers come back in the order of the questions of each thread.
const pool = [];
let turn = 0;

function calc(request) {
  while (pool.length < navigator.hardwareConcurrency) {
    const worker = new Worker(new URL("calc.js", import.meta.url));
    const waiting = [];
    worker.onmessage = (event) => waiting.shift()(new Response(String(event.data)));
    pool.push({ worker, waiting });
  }
  const { worker, waiting } = pool[turn++ % pool.length];
  worker.postMessage(Number(new URL(request.url).searchParams.get("value")));
  return new Promise((resolve) => waiting.push(resolve));
}

const routes = {
  "/": { GET: hello },
  "/json": { GET: () => Response.json({ message: "Hello, World!" }), POST: jsonPost },
  "/user/:id": { GET: user },
  "/echo": { POST: async (request) => new Response(await request.arrayBuffer()) },
  "/upload": { POST: upload },
  "/calc": { GET: calc },
};
for (let n = 0; n < 300; ++n) routes[`/route${n}/:id/details`] = { GET: user };

const others = [];
for (let n = 1; n < threads; ++n) {
  others.push(Bun.spawn([process.execPath, ...process.execArgv, import.meta.path, String(port), "1"]));
}
process.on("SIGTERM", () => {
  for (const other of others) other.kill();
  process.exit(0);
});
Bun.serve({ hostname: "127.0.0.1", port, reusePort: true, idleTimeout: 75, maxRequestBodySize: 16 << 20, routes });
