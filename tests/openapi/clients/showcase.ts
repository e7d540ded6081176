// The client that openapi-typescript generates for the showcase, used against it.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2] });

async function codes(): Promise<void> {
  const country = await client.GET("/countries/{alpha_2}", { params: { path: { alpha_2: "is" } } });
  assert.equal(country.data?.name, "Iceland");
  const list = await client.GET("/countries", { params: { query: { limit: 2, offset: 1 } } });
  assert.equal(list.data?.items.length, 2);
  assert.ok((list.data?.total ?? 0) > 200);
  const missing = await client.GET("/countries/{alpha_2}", { params: { path: { alpha_2: "xx" } } });
  assert.equal(missing.response.status, 404);
  assert.equal(missing.error?.title, "Not Found");
}

async function notes(): Promise<void> {
  const body: components["schemas"]["NewNote"] = { title: "Milk", text: "", tags: ["home"], done: false };
  const added = await client.POST("/notes", { body });
  assert.equal(added.response.status, 201);
  const id = added.data?.id ?? 0;
  assert.equal(added.response.headers.get("location"), `/notes/${id}`);
  const changed = await client.PATCH("/notes/{id}", { params: { path: { id } }, body: { done: true } });
  assert.equal(changed.data?.done, true);
  assert.equal(changed.data?.title, "Milk");
  const refused = await client.PUT("/notes/{id}", { params: { path: { id } }, body: { title: " ", tags: ["x".repeat(31)] } });
  assert.equal(refused.response.status, 422);
  assert.deepEqual(refused.error?.errors?.map((each) => each.pointer), ["/title", "/tags/0"]);
  const removed = await client.DELETE("/notes/{id}", { params: { path: { id } } });
  assert.equal(removed.response.status, 204);
  assert.equal((await client.GET("/notes/{id}", { params: { path: { id } } })).response.status, 404);
}

await codes();
await notes();
