// The OpenAPI document (3.1; what 3.0 and 3.2 share with it works too). A document may be wrong: accessors tolerate it.

const contract = { document: {}, address: location.href, operations: [], tags: [], servers: [] };

const list = value => (Array.isArray(value) ? value : []);
const entries = value => (isObject(value) ? Object.entries(value) : []);
const text = value => (typeof value === "string" ? value : "");
const lastSegment = reference => reference.slice(reference.lastIndexOf("/") + 1).replaceAll("~1", "/").replaceAll("~0", "~");

// The value at a JSON pointer of this document (RFC 6901, as a URI fragment).
function resolve(reference) {
  if (!reference.startsWith("#/")) return reference === "#" ? contract.document : undefined;
  let value = contract.document;
  for (const segment of reference.slice(2).split("/")) {
    let key = segment;
    try {
      key = decodeURIComponent(segment);
    } catch { /* a bare percent sign */ }
    key = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return;
    value = value[key];
  }
  return value;
}

// An object without its $ref: what it refers to, with the keywords beside the reference on top. `name` is the last segment.
function follow(value, seen = new Set()) {
  let name = "";
  while (isObject(value) && typeof value.$ref === "string") {
    const { $ref, ...beside } = value;
    name ||= lastSegment($ref);
    const target = seen.has($ref) ? undefined : resolve($ref);
    seen.add($ref);
    if (target === undefined) return { name, value: { description: `The reference ${$ref} leads nowhere in this document.`, ...beside } };
    value = isObject(target) ? { ...target, ...beside } : target;
  }
  return { name, value };
}

const followed = value => {
  const object = follow(value).value;
  return isObject(object) ? object : {};
};

const methods = ["get", "post", "put", "patch", "delete", "head", "options", "query", "trace"];

function readParameters(shared, own) {
  const parameters = new Map();
  for (const parameter of [...list(shared), ...list(own)].map(followed)) {
    parameters.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...parameters.values()].filter(parameter => typeof parameter.name === "string");
}

function readServers(servers) {
  const known = list(servers).filter(server => isObject(server) && typeof server.url === "string");
  if (known.length === 0) known.push({ url: "/" });
  return known.map(server => {
    const filled = server.url.replace(/\{([^{}]*)\}/g, (whole, name) => text(server.variables?.[name]?.default) || whole);
    let url = filled;
    try {
      url = new URL(filled, contract.address).href;
    } catch { /* shown as it is; a request to it fails */ }
    return { url: url.replace(/\/$/, ""), description: text(server.description) };
  });
}

function readOperation(path, method, item, value, ids) {
  let id = text(value.operationId) || `${method}${path}`.replace(/[^A-Za-z0-9]+/g, "-").replace(/-$/, "");
  while (ids.has(id)) id += "_";
  ids.add(id);
  const tags = list(value.tags).filter(tag => typeof tag === "string");
  const server = value.servers ?? item.servers;
  return {
    id, path, method: method.toUpperCase(), value, tags,
    summary: text(value.summary ?? item.summary),
    description: text(value.description ?? item.description),
    deprecated: value.deprecated === true,
    parameters: readParameters(item.parameters, value.parameters),
    body: value.requestBody ? followed(value.requestBody) : null,
    responses: entries(value.responses).map(([status, response]) => ({ status, ...followed(response) })),
    security: list(value.security ?? contract.document.security).filter(isObject),
    server: server ? readServers(server)[0] : null,
    words: [method, path, id, value.summary, ...tags].join(" ").toLowerCase(),
  };
}

// JSON, with integers that a number of JavaScript cannot hold kept as they are written, where the browser can.
const parseExactly = source => JSON.parse(source, (key, value, context) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source) ? JSON.rawJSON?.(context.source) ?? value : value);

function readContract(value, address) {
  contract.document = value;
  contract.address = address;
  contract.servers = readServers(value.servers);
  const ids = new Set(), tags = new Map();
  for (const tag of list(value.tags)) {
    if (typeof tag?.name === "string") tags.set(tag.name, { name: tag.name, description: text(tag.description), operations: [] });
  }
  for (const [path, raw] of entries(value.paths)) {
    const item = followed(raw);
    for (const method of methods) {
      if (!isObject(item[method])) continue;
      const operation = readOperation(path, method, item, item[method], ids);
      contract.operations.push(operation);
      const name = operation.tags[0] ?? "Operations";
      if (!tags.has(name)) tags.set(name, { name, description: "", operations: [] });
      tags.get(name).operations.push(operation);
    }
  }
  contract.tags = [...tags.values()].filter(tag => tag.operations.length);
}

// The security schemes of the document, by name.
const securitySchemes = () => new Map(entries(contract.document.components?.securitySchemes).map(([name, scheme]) => [name, followed(scheme)]));

// Of a parameter, a field or a media type.
const schemaOf = holder => holder.schema ?? Object.values(holder.content ?? {})[0]?.schema ?? {};

const isJson = type => /^application\/(?:[^;]*\+)?json\b/i.test(type);
