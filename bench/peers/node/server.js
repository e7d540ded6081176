// Node's http module with the routes of ../README.md; it has no router. Arguments: port, threads.
"use strict";
const cluster = require("node:cluster");
const http = require("node:http");
const os = require("node:os");
const path = require("node:path");
const { Worker } = require("node:worker_threads");

const [port, threads] = process.argv.slice(2).map(Number);

function text(response, content) {
  response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": Buffer.byteLength(content) });
  response.end(content);
}

function json(response, value) {
  const content = JSON.stringify(value);
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(content) });
  response.end(content);
}

function read(request, then) {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => then(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)));
}

function jsonPost(request, response) {
  read(request, (body) => {
    const { name, value } = JSON.parse(body);
    json(response, { greeting: `Hello, ${name}!`, item: { name, value, double: 2 * value } });
  });
}

function echo(request, response) {
  read(request, (body) => {
    response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": body.length });
    response.end(body);
  });
}

function upload(request, response) {
  let size = 0;
  request.on("data", (piece) => (size += piece.length));
  request.on("end", () => text(response, String(size)));
}

// A pool of threads, made at the first computation; answers come back in the order of the questions of each thread.
const pool = [];
let turn = 0;

function calc(value, response) {
  while (pool.length < os.availableParallelism()) {
    const worker = new Worker(path.join(__dirname, "calc.js"));
    const waiting = [];
    worker.on("message", (sum) => text(waiting.shift(), String(sum)));
    pool.push({ worker, waiting });
  }
  const { worker, waiting } = pool[turn++ % pool.length];
  waiting.push(response);
  worker.postMessage(value);
}

function notFound(response) {
  response.writeHead(404, { "Content-Length": 0 });
  response.end();
}

function get(url, response) {
  if (url === "/") return text(response, "Hello, World!");
  if (url === "/json") return json(response, { message: "Hello, World!" });
  if (url.startsWith("/user/")) return text(response, decodeURIComponent(url.slice("/user/".length)));
  if (url.startsWith("/calc?")) return calc(Number(new URLSearchParams(url.slice("/calc?".length)).get("value")), response);
  return notFound(response);
}

function post(url, request, response) {
  if (url === "/json") return jsonPost(request, response);
  if (url === "/echo") return echo(request, response);
  if (url === "/upload") return upload(request, response);
  return notFound(response);
}

process.on("SIGTERM", () => process.exit(0));
if (threads > 1 && cluster.isPrimary) {
  for (let n = 0; n < threads; ++n) cluster.fork();
} else {
  http
    .createServer({ maxHeaderSize: 128 * 1024, keepAliveTimeout: 75_000 }, (request, response) => {
      if (request.method === "POST") return post(request.url, request, response);
      return get(request.url, response);
    })
    .listen(port, "127.0.0.1", 4096);
}
