// The client that openapi-typescript generates for the torture service, used against it.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2] });

async function items(): Promise<void> {
  const found = await client.GET("/items/{id}", { params: { path: { id: "7" } } });
  const item: components["schemas"]["Item"] | string | undefined = found.data;  // of both patterns
  assert.deepEqual(item, { id: 7, name: "Seven", price: "7.00" });

  const missing = await client.GET("/items/{id}", { params: { path: { id: "8" } } });
  assert.equal(missing.response.status, 404);
  assert.equal(missing.error?.status, 404);

  const added = await client.POST("/items", { body: { name: "New", price: "12.50" } });
  assert.equal(added.response.status, 201);
  assert.equal(added.data?.price, "12.50");
  assert.equal(added.response.headers.get("location"), "/items/7");

  const refused = await client.POST("/items", { body: { name: "New", price: "x" } });
  assert.equal(refused.response.status, 422);
  assert.equal(refused.error?.errors?.[0]?.pointer, "/price");
}

async function parameters(): Promise<void> {
  const query = await client.GET("/parameters/ruled", { params: { query: { limit: 5, number: 3 } } });
  assert.equal(query.data, 15);
  const invalid = await client.GET("/parameters/ruled", { params: { query: { limit: 0, number: 0 } } });
  assert.deepEqual(invalid.error?.errors?.map((each) => each.pointer), ["limit", "number"]);
  const year = await client.GET("/parameters/year/{year}", { params: { path: { year: 1984 } } });
  assert.equal(year.data, 1984);
  const fields = await client.GET("/parameters/fields", { params: { header: { "X-Count": 7 } } });
  assert.equal(fields.data, 7);
}

async function content(): Promise<void> {
  const drawing: components["schemas"]["Drawing"] = { shape: { width: 1, height: 2 }, note: [1, 2], second: { radius: 3 } };
  assert.deepEqual((await client.POST("/json/drawing", { body: drawing })).data, drawing);
  const tree: components["schemas"]["Tree"] = { label: "a", children: [{ label: "b", children: [] }] };
  assert.deepEqual((await client.POST("/json/tree", { body: tree })).data, tree);
  const settings = await client.POST("/json/settings", { body: { volume: 3 } });
  assert.equal(settings.data?.volume, 3);
  assert.equal(settings.data?.colour, "Green");
}

async function representations(): Promise<void> {
  const path = { id: 4 };
  const point = await client.GET("/responses/report/{id}", { params: { path } });
  assert.deepEqual(point.data, { x: 4, y: 2 });
  const table = await client.GET("/responses/report/{id}", {
    params: { path }, headers: { accept: "text/csv" }, parseAs: "text",
  });
  assert.equal(table.data, "4,2\n");
  const none = await client.GET("/responses/report/{id}", { params: { path }, headers: { accept: "image/png" } });
  assert.equal(none.response.status, 406);
}

await items();
await parameters();
await content();
await representations();
