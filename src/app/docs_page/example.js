// Makes an example of a schema that obeys its rules as far as they are simple.

const formatExamples = {
  "date-time": "2026-01-31T12:00:00Z", date: "2026-01-31", time: "12:00:00Z", duration: "PT1H", email: "ann@example.com",
  uuid: "123e4567-e89b-42d3-a456-426614174000", uri: "https://example.com/", "uri-reference": "/path", hostname: "example.com",
  ipv4: "192.0.2.1", ipv6: "2001:db8::1", byte: "dGVybg==", password: "secret", binary: "",
};

const classMembers = { d: "0", w: "a", s: " ", D: "a", W: "-", S: "a", b: "", B: "", n: "\n", t: "\t" };
const patternTokens = /\\.|\[\^?(?:\\.|[^\]\\])+\]|\((?:\?(?:<\w+>|<?[:=!]))?|\{\d{1,3}(?:,\d*)?\}\??|[*+?]\??|./gsu;

// A text that a simple pattern matches: of alternatives the first, of repetitions the fewest. Lookarounds are left out.
function patternExample(pattern) {
  const tokens = pattern.slice(0, 500).match(patternTokens) ?? [];
  const one = token => (token[0] === "\\" ? classMembers[token[1]] ?? token[1] : token);
  function alternation() {  // up to the end or behind ")"
    const found = [[]];
    for (let token; (token = tokens.shift() ?? ")") !== ")";) {
      const pieces = found.at(-1);
      const least = /^(?:\{(\d+)|[*?])/.exec(token);
      if (token === "|") found.push([]);
      else if (least) pieces.push((pieces.pop() ?? "").repeat(least[1] ?? 0).slice(0, 1000));
      else if (token[0] === "(") {
        const inner = alternation();
        pieces.push(/[=!]$/.test(token) ? "" : inner);
      } else if (token.startsWith("[^")) pieces.push([..."a0-~"].find(c => !token.includes(c)) ?? "a");
      else if (token[0] === "[" && token.length > 1) pieces.push(one(/\\.|./s.exec(token.slice(1))[0]));
      else if (!/^[$^+]/.test(token)) pieces.push(token === "." ? "a" : one(token));
    }
    return found[0].join("");
  }
  return alternation();
}

function textExample(schema) {
  if (Object.hasOwn(formatExamples, schema.format)) return formatExamples[schema.format];
  const example = schema.pattern ? patternExample(String(schema.pattern)) : "text";
  return example.padEnd(Math.min(schema.minLength ?? 0, 1000), example.at(-1) ?? "a").slice(0, schema.maxLength);
}

// The step (1, 0.5 or multipleOf), or the bound next to it.
function numberExample(schema, isInteger) {
  const bound = (key, otherwise) => [Number(shown(schema[key])), otherwise].find(value => !Number.isNaN(value));
  const step = schema.multipleOf > 0 ? schema.multipleOf : isInteger ? 1 : 0.5;
  const low = Math.max(bound("minimum", -Infinity), bound("exclusiveMinimum", -Infinity) + step);
  const value = Math.min(Math.max(step, low), bound("maximum", Infinity), bound("exclusiveMaximum", Infinity) - step);
  return schema.multipleOf || isInteger ? Math[value === low ? "ceil" : "floor"](value / step) * step : value;
}

// Schemas that refer to each other in all combinations must not keep the page busy.
let budget = 0;

// `direction` is "request" or "response": what is read only, or write only, is left out. `path` has the names of the schemas
// around this one, so that a recursive schema ends.
function example(raw, direction, path = []) {
  if (path.length === 0) budget = 1000;
  if (--budget < 0) return;
  const { name, schema } = simplified(raw);
  if ("example" in schema) return schema.example;
  if (list(schema.examples).length) return schema.examples[0];
  for (const key of ["default", "const"]) if (key in schema) return schema[key];
  if (list(schema.enum).length) return schema.enum[0];
  if (path.length > 12 || (name && path.includes(name))) return;
  const inside = [...path, name];
  const { others } = alternatives(schema);
  const own = others.length ? chosenExample(schema, others, direction, inside) : undefined;
  if (own !== undefined && !isObject(own)) return own;
  const types = typesOf(schema);
  if (types.includes("object") || own) return { ...objectExample(schema, direction, inside), ...own };
  if (types.includes("array")) return arrayExample(schema, direction, inside);
  if (types.includes("string")) return textExample(schema);
  if (types.includes("integer")) return numberExample(schema, true);
  if (types.includes("number")) return numberExample(schema, false);
  if (types.includes("boolean")) return true;
  return isNull(raw) ? null : {};
}

function chosenExample(schema, others, direction, path) {
  const property = schema.discriminator?.propertyName;
  for (const other of others) {
    const value = example(other, direction, path);
    if (value === undefined) continue;
    const mapped = entries(schema.discriminator?.mapping).find(([, target]) => target === other.$ref);
    if (isObject(value) && typeof property === "string" && (mapped || !(property in value))) value[property] = mapped?.[0] ?? lastSegment(text(other.$ref));
    return value;
  }
  return;
}

function objectExample(schema, direction, path) {
  const result = {};
  for (const [name, raw] of entries(schema.properties)) {
    const property = simplified(raw).schema;
    const required = list(schema.required).includes(name);
    if (property[direction === "request" ? "readOnly" : "writeOnly"] || (property.deprecated && !required)) continue;
    const value = example(raw, direction, path);
    if (value !== undefined) result[name] = value;
    else if (required) result[name] = typesOf(property).includes("array") ? [] : null;
  }
  if (isObject(schema.additionalProperties) && Object.keys(result).length === 0) {
    const value = example(schema.additionalProperties, direction, path);
    if (value !== undefined) result[example(schema.propertyNames ?? { const: "name" }, direction, path)] = value;
  }
  return result;
}

function arrayExample(schema, direction, path) {
  const items = list(schema.prefixItems).map(item => example(item, direction, path) ?? null);
  const item = schema.items && example(schema.items, direction, path);
  const count = Math.min(Math.max(schema.minItems ?? 0, items.length || 1), schema.maxItems ?? 20, 20);
  while (item !== undefined && schema.items && items.length < count) items.push(item);
  return items;
}

// The examples of a media type, a parameter or a header: [[label, value]], never empty unless the schema has none.
function examplesOf(holder, direction) {
  if ("example" in holder) return [["Example", holder.example]];
  const named = entries(holder.examples).map(([name, value]) => [text(followed(value).summary) || name, followed(value).value]).filter(([, value]) => value !== undefined);
  if (named.length) return named;
  const made = holder.schema === undefined ? undefined : example(holder.schema, direction);
  return made === undefined ? [] : [["Example", made]];
}
