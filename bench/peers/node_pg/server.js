// Node's http module and pg with the routes of bench/harness/postgres.py. Arguments: port, threads.
"use strict";
const http = require("node:http");
const { Pool, types } = require("pg");

const port = Number(process.argv[2]);
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const rows = 10_000, batch = 20;
const randomId = () => 1 + Math.floor(Math.random() * rows);

async function world() {
  const found = await pool.query({ name: "world", text: "select id, randomnumber from world where id = $1", values: [randomId()] });
  return { id: found.rows[0].id, randomNumber: found.rows[0].randomnumber };
}

const worlds = () => Promise.all(Array.from({ length: batch }, world));

async function updates() {
  const all = (await worlds()).sort((a, b) => a.id - b.id);
  for (const each of all) each.randomNumber = randomId();
  await pool.query({
    name: "update",
    text: "update world set randomnumber = v.n from (select unnest($1::int[]) as i, unnest($2::int[]) as n) as v where world.id = v.i",
    values: [all.map((each) => each.id), all.map((each) => each.randomNumber)],
  });
  return all;
}

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text) => text.replace(/[&<>"']/g, (c) => escapes[c]);

async function fortunes() {
  const all = (await pool.query({ name: "fortunes", text: "select id, message from fortune" })).rows;
  all.push({ id: 0, message: "Additional fortune added at request time." });
  all.sort((a, b) => (a.message < b.message ? -1 : 1));
  return "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>" +
    all.map((each) => `<tr><td>${each.id}</td><td>${escaped(each.message)}</td></tr>`).join("") + "</table></body></html>";
}

async function items(url) {
  const given = (name, fallback) => Number(url.searchParams.get(name) ?? fallback);
  const found = await pool.query({
    name: "items",
    text: "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where price between $1 and $2 limit $3",
    values: [given("min", 10), given("max", 50), Math.min(Math.max(given("limit", 50), 1), 50)],
  });
  const all = found.rows.map(({ rating_score, rating_count, ...rest }) => ({ ...rest, rating: { score: rating_score, count: rating_count } }));
  return { items: all, count: all.length };
}

const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const handler = { "/db": world, "/queries": worlds, "/updates": updates, "/fortunes": fortunes, "/async-db": items }[url.pathname];
  try {
    const value = await handler(url);
    const isText = typeof value === "string";
    const content = isText ? value : JSON.stringify(value);
    response.writeHead(200, { "Content-Type": isText ? "text/html; charset=utf-8" : "application/json", "Content-Length": Buffer.byteLength(content) });
    response.end(content);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(port, "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
