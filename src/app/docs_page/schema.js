// A JSON Schema (2020-12) as nested lists. Each level is rendered when it unfolds, so recursive schemas need no end.

// A schema without $ref and allOf: {name, schema}. A schema that contains itself by allOf is cut.
function flat(raw, seen = new Set()) {
  const inner = new Set(seen);
  const { name, value } = follow(raw, inner);
  if (!isObject(value)) return { name, schema: value === false ? { not: true } : {} };
  const { allOf, ...schema } = value;
  if (!Array.isArray(allOf)) return { name, schema };
  let result = {};
  for (const part of [...allOf.map(part => flat(part, inner).schema), schema]) {
    result = {
      ...result, ...part,
      properties: { ...result.properties, ...part.properties },
      required: [...list(result.required), ...list(part.required)],
    };
  }
  if (Object.keys(result.properties).length === 0) delete result.properties;
  return { name, schema: result };
}

const isNull = raw => flat(raw).schema.type === "null";

// The alternatives of a schema without null, and whether null is one.
function alternatives(schema) {
  const all = [...list(schema.oneOf), ...list(schema.anyOf)];
  const others = all.filter(raw => !isNull(raw));
  return { others, nullable: others.length !== all.length };
}

// The same with "this or null" reduced to this: {name, schema, nullable}.
function simplified(raw) {
  const { name, schema } = flat(raw);
  const { others, nullable } = alternatives(schema);
  const types = [schema.type].flat().filter(type => typeof type === "string");
  const isNullable = nullable || types.includes("null") || schema.nullable === true;
  if (nullable && others.length === 1) {
    const { oneOf, anyOf, ...beside } = schema;
    const inner = flat(others[0]);
    return { name: inner.name || name, schema: { ...inner.schema, ...beside }, nullable: true };
  }
  return { name, schema, nullable: isNullable };
}

const typesOf = schema => {
  const types = [schema.type].flat().filter(type => typeof type === "string" && type !== "null");
  if (types.length) return types;
  if (schema.properties || schema.additionalProperties) return ["object"];
  if (schema.items || schema.prefixItems) return ["array"];
  return [];
};

// "array of Book or null"
function typeText(raw, depth = 0) {
  const { name, schema, nullable } = simplified(raw);
  const { others } = alternatives(schema);
  const types = typesOf(schema);
  let result = types.join(" or ");
  if (types.includes("array") && depth < 4 && schema.items && schema.items !== true && !schema.prefixItems) result = result.replace("array", `array of ${typeText(schema.items, depth + 1)}`);
  if (others.length) result = depth < 2 ? others.map(other => typeText(other, depth + 2)).join(" | ") : "one of several";
  if (name) result = others.length || types.includes("object") || !result ? name : `${result} (${name})`;
  if (nullable) result = result ? `${result} or null` : "null";
  return result || (schema.not ? "nothing" : "any");
}

const shown = value => JSON.stringify(value);

function range(minimum, maximum, unit = "") {
  const [from, to] = [shown(minimum), shown(maximum)];
  if (from === to) return from && `exactly ${from}${unit}`;
  return !to ? `at least ${from}${unit}` : !from ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
}

// Formats, bounds and the like, as a list of nodes.
function rulesOf(schema) {
  const rules = [
    text(schema.format),
    range(schema.minimum, schema.maximum),
    typeof schema.exclusiveMinimum === "number" && `more than ${schema.exclusiveMinimum}`,
    typeof schema.exclusiveMaximum === "number" && `less than ${schema.exclusiveMaximum}`,
    schema.multipleOf && `multiple of ${schema.multipleOf}`,
    range(schema.minLength, schema.maxLength, " characters"),
    schema.pattern && ["matches ", el("code", String(schema.pattern))],
    range(schema.minItems, schema.maxItems, " items"),
    schema.uniqueItems && "unique items",
    range(schema.minProperties, schema.maxProperties, " members"),
    text(schema.contentMediaType),
    schema.contentEncoding && `in ${schema.contentEncoding}`,
    schema.additionalProperties === false && "no other members",
    "const" in schema && ["always ", el("code", shown(schema.const))],
    "default" in schema && ["default ", el("code", shown(schema.default))],
  ];
  return rules.filter(Boolean).map(rule => el("li", rule));
}

const badges = (schema, required) => [
  required && el("span.badge.required", "required"),
  schema.deprecated && el("span.badge.warn", "deprecated"),
  schema.readOnly && el("span.badge", "read only"),
  schema.writeOnly && el("span.badge", "write only"),
];

const values = (label, items) => el("div.values", `${label} `, items.slice(0, 50).map(item => [el("code", shown(item)), " "]), items.length > 50 && `and ${items.length - 50} more`);

// Rules, values, examples and description of a schema, without its members.
function facts(schema) {
  const examples = [...("example" in schema ? [schema.example] : []), ...list(schema.examples)];
  const rules = rulesOf(schema);
  return [
    rules.length > 0 && el("ul.rules", { "aria-label": "Rules" }, rules),
    markdown(schema.description),
    list(schema.enum).length > 0 && values("One of", schema.enum),
    examples.length > 0 && values(examples.length > 1 ? "Examples" : "Example", examples),
  ];
}

// The schemas below a schema: [label, schema, is required].
function members(schema) {
  const required = list(schema.required);
  const found = entries(schema.properties).map(([name, property]) => [name, property, required.includes(name)]);
  found.push(...entries(schema.patternProperties).map(([pattern, value]) => [`/${pattern}/`, value, false]));
  if (isObject(schema.additionalProperties)) found.push(["any other name", schema.additionalProperties, false]);
  found.push(...list(schema.prefixItems).map((value, index) => [`[${index}]`, value, false]));
  return found;
}

const hasMembers = (raw, depth = 0) => {
  const { schema } = simplified(raw);
  return members(schema).length > 0 || alternatives(schema).others.length > 0 ||
    (schema.items && depth < 8 && hasMembers(schema.items, depth + 1));
};

// A named value as an item of a list; `about` has what is known of it beside its schema.
function namedRow([name, raw, required], where = "", about = {}) {
  const schema = { ...simplified(raw).schema, ...about };
  const type = typeText(raw);
  const more = hasMembers(raw) && unfolding(type, () => membersOf(raw), { class: "type", "aria-label": `${name}: ${type}` });
  return el("li", el("div.member", el("code.member-name", name), where && el("span.type", where), more ? more.toggle : el("span.type", type), badges(schema, required)), facts(schema), more && more.panel);
}

const fieldList = rows => rows.length > 0 && el("ul.fields", rows);

// Which alternative the discriminator names: "kind: card".
function choiceName(schema, raw) {
  const { name, schema: choice } = flat(raw);
  const property = schema.discriminator?.propertyName;
  if (typeof property === "string") {
    const mapped = entries(schema.discriminator.mapping).find(([, target]) => target === raw.$ref || target === name);
    const fixed = choice.properties?.[property]?.const;
    const value = mapped?.[0] ?? (fixed === undefined ? name : String(fixed));
    if (value) return `${property}: ${value}`;
  }
  return name || text(choice.title) || typeText(raw);
}

// Shows the first alternative; below others only when one is chosen, because it may contain itself.
function choices(schema, others, depth) {
  const panel = el("div.panel");
  const group = el("div.choices", { role: "group", "aria-label": "Alternatives" }, el("span.quiet", schema.anyOf ? "Any of" : "One of"));
  const choose = index => {
    group.querySelectorAll("button").forEach((choice, at) => { choice.ariaPressed = at === index; });
    fill(panel, facts(flat(others[index]).schema), membersOf(others[index], depth + 1));
  };
  others.forEach((raw, index) => group.append(button(choiceName(schema, raw), () => {
    depth = 0;
    choose(index);
  }, { "aria-pressed": "false" })));
  if (depth < 3) choose(0);
  return [group, panel];
}

// The members of an object, of the items of an array, or the alternatives, as a list.
function membersOf(raw, depth = 0) {
  const { schema } = simplified(raw);
  const rows = members(schema);
  const { others } = alternatives(schema);
  return [
    fieldList(rows.map(row => namedRow(row))),
    others.length > 0 && choices(schema, others, depth),
    schema.items && depth < 8 && hasMembers(schema.items) && membersOf(schema.items, depth + 1),
  ];
}

// A whole schema: its type, its rules and the first level of members.
const schemaView = raw => {
  const { schema } = simplified(raw);
  return el("div.schema", el("div.member", el("span.type", typeText(raw)), badges(schema)), facts(schema), membersOf(raw));
};
