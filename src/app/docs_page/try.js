// The form that sends a request: controls for parameters and content, the line for curl, and the answer.

// What is common to all controls: {node, value()}. A label with a hint below it.
function labelled(label, control, hint, required) {
  const id = control.id = newId();
  const described = hint && newId();
  if (described) control.setAttribute("aria-describedby", described);
  return el("div.field",
    el("label", { for: id }, label, required && el("span.required", " *", el("span.unseen", "required"))),
    control, hint && el("span.quiet", { id: described }, hint));
}

const isFile = schema => typesOf(schema).every(type => type === "string") && !schema.contentEncoding &&
  (schema.format === "binary" || (schema.contentMediaType && !isJson(schema.contentMediaType)));

// A control for a value of `holder`, a parameter or a part of a form: {name, schema, content, required, where}.
function valueControl(holder) {
  const raw = schemaOf(holder);
  const { schema } = simplified(raw);
  const types = parameterType(holder);
  const many = types.includes("array");
  const isJsonText = types.includes("object") || types.includes("json");
  const sample = examplesOf({ ...holder, schema: raw }, "request")[0]?.[1];
  const initial = sample === undefined ? "" : many ? list(sample).map(asText).join("\n") : isJsonText ? printed(sample) : asText(sample);
  const value = holder.required ? initial : "";
  const fixed = list(schema.enum).length ? schema.enum : types.includes("boolean") ? [true, false] : null;
  let control;
  if (fixed) {
    const texts = fixed.filter(item => item !== null).map(asText);
    control = el("select", !holder.required && el("option", { value: "" }, "–"), texts.map(item => el("option", { selected: item === value }, item)));
  } else if (many || isJsonText) {
    control = el("textarea", { rows: Math.min(Math.max(initial.split("\n").length, 2), 8), placeholder: initial, ...verbatim }, value);
  } else {
    control = el("input", { type: schema.format === "password" ? "password" : "text", value, placeholder: initial, ...verbatim,
      inputmode: types.includes("integer") ? "numeric" : types.includes("number") ? "decimal" : null });
  }
  const hint = [holder.where, typeText(raw), many && "one on each line",
    holder.in === "cookie" && "a page cannot set it; only the line for curl has it"].filter(Boolean).join(" · ");
  return { node: labelled(holder.name, control, hint, holder.required), control, value: () => control.value };
}

function fileControl(name, many, required, accept) {
  const control = el("input", { type: "file", multiple: many, accept });
  return { node: labelled(name, control, many ? "files" : "file", required), files: () => [...control.files] };
}

// The properties of a form as controls; value() is {type, parts} or {type, text}.
function formEditor(type, media) {
  const { schema } = simplified(media.schema ?? {});
  const isMultipart = type.startsWith("multipart/");
  const fields = members(schema).filter(([, raw]) => !simplified(raw).schema.readOnly).map(([name, raw, required]) => {
    const property = simplified(raw).schema;
    const item = property.items && simplified(property.items).schema;
    const encoding = media.encoding?.[name] ?? {};
    if (isMultipart && (isFile(property) || (item && isFile(item)))) return { name, ...fileControl(name, Boolean(item), required, encoding.contentType) };
    const holder = { name, schema: raw, required, in: "form", ...encoding };
    return { name, holder, isPartJson: parameterType(holder).includes("object"), contentType: encoding.contentType, ...valueControl(holder) };
  });
  function parts() {
    return fields.flatMap(field => {
      if (field.files) return field.files().map(file => ({ name: field.name, file }));
      const value = field.value();
      if (value === "") return [];
      if (parameterType(field.holder).includes("array")) return value.split("\n").map(line => ({ name: field.name, text: line }));
      return [{ name: field.name, text: value, type: field.isPartJson ? field.contentType ?? "application/json" : field.contentType }];
    });
  }
  const pairs = () => fields.filter(field => field.value() !== "").map(field => styled({ style: "form", ...field.holder }, parameterValue(field.holder, field.value()), piece => percent(piece)));
  return { node: fields.map(field => field.node), value: () => (isMultipart ? { type, parts: parts() } : { type, text: pairs().join("&") }) };
}

function textEditor(type, media) {
  const examples = examplesOf(media, "request");
  const asContent = value => (typeof value === "string" && !isJson(type) ? value : printed(value));
  const area = el("textarea.content", { ...verbatim, oninput: () => check() }, examples.length ? asContent(examples[0][1]) : "");
  const error = el("span.error", { role: "status" });
  const check = () => {
    let message = "";
    try {
      if (isJson(type)) JSON.parse(area.value);
    } catch (fault) {
      message = `Not JSON: ${fault.message}`;
    }
    error.textContent = message;
    area.ariaInvalid = message !== "";
  };
  area.rows = Math.min(Math.max(area.value.split("\n").length, 3), 18);
  const choice = examples.length > 1 && el("select", { onchange: event => {
    area.value = asContent(examples[event.target.value][1]);
    area.dispatchEvent(new Event("input", { bubbles: true }));
  } }, examples.map(([name], index) => el("option", { value: index }, name)));
  return { node: [choice && labelled("Example", choice), labelled("Content", area, type), error], value: () => ({ type, text: area.value }) };
}

function fileEditor(type) {
  const accepted = type.includes("*") ? "" : type;
  const { node, files } = fileControl("Content", false, true, accepted);
  return { node, value: () => files().map(file => ({ type: accepted || file.type || "application/octet-stream", file }))[0] };
}

function editorOf(type, media) {
  if (type.startsWith("multipart/") || type.startsWith("application/x-www-form-urlencoded")) return formEditor(type, media);
  const isText = isJson(type) || /^text\/|xml|yaml|graphql|javascript/i.test(type) || !type.includes("/");
  return isText ? textEditor(type, media) : fileEditor(type);
}

// Chooses among the media types of a request: {node, value()}, where null is no content.
function bodyEditor(body) {
  const types = Object.keys(body.content ?? {});
  const panel = el("div");
  let editor = null;
  const choose = type => {
    editor = editorOf(type, followed(body.content[type]));
    fill(panel, editor.node);
  };
  const choice = types.length > 1 && el("select", { onchange: event => choose(event.target.value) }, types.map(type => el("option", type)));
  const send = body.required !== true && el("input", { type: "checkbox", checked: true });
  if (types.length) choose(types[0]);
  return { node: [send && el("label.check", send, " Send content (optional)"), choice && labelled("Media type", choice), panel],
    value: () => (send && !send.checked ? null : editor?.value() ?? null) };
}

// Chooses among the representations of an answer: {node, value()}, where undefined is any.
function representationChoice(operation) {
  const types = representations(operation);
  if (types.length < 2) return { value: () => types[0] };
  const control = el("select", types.map(type => el("option", type)));
  return { node: labelled("Answer as", control, "Accept"), value: () => control.value };
}

function tryPanel(operation) {
  const controls = new Map(operation.parameters.map(parameter => [parameter, valueControl({ ...parameter, where: parameter.in })]));
  const body = operation.body && bodyEditor(operation.body);
  const representation = representationChoice(operation);
  const curl = code([], "Line for curl", { class: "curl" });
  const answer = el("div.answer");
  const make = () => makeRequest(operation, operation.server?.url ?? page.server, parameter => controls.get(parameter).value(), body?.value(), representation.value());
  function update() {
    let line;
    try {
      line = curlLine(make(), representation.value() === "text/event-stream");
    } catch (fault) {
      line = `# ${oneLine(fault.message)}`;
    }
    curl.firstChild.textContent = line;
  }
  let running = null;
  const submit = el("button.primary", "Send");
  async function send() {
    if (running) return running.abort();
    const empty = operation.parameters.filter(parameter => parameter.in === "path" && controls.get(parameter).value() === "");
    for (const [parameter, { control }] of controls) control.ariaInvalid = empty.includes(parameter);
    if (empty.length) {
      fill(answer, alert(`A value is missing in the path: ${empty.map(parameter => parameter.name).join(", ")}.`));
      return controls.get(empty[0]).control.focus();
    }
    running = new AbortController();
    submit.textContent = "Stop";
    try {
      await exchange(make(), operation, answer, running.signal);
    } catch (fault) {
      if (fault.name !== "AbortError") fill(answer, alert(faultText(fault)));
    }
    running = null;
    submit.textContent = "Send";
  }
  const form = el("form", { oninput: update, onchange: update, "aria-label": `Try ${operation.id}`,
    onsubmit: event => {
      event.preventDefault();
      send();
    },
    onkeydown: event => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    } },
    el("h4", "Try it"), lockLine(operation), [...controls.values()].map(control => control.node), body && body.node, representation.node,
    el("div.actions", submit));
  document.addEventListener("settings", update);
  update();
  return el("div.try", form, el("div.bar", el("h5", "curl"), button("Copy", event => copy(curl.textContent, event.currentTarget), { class: "copy", "aria-label": "Copy the line for curl" })), curl, answer);
}

// What an operation requires, and the way to enter it.
function lockLine(operation) {
  if (operation.security.length === 0) return null;
  const names = operation.security.map(alternative => Object.keys(alternative).join(" and ")).filter(Boolean).join(", or ");
  const line = el("p.lock");
  const show = () => fill(line, button(usedSchemes(operation).length ? "Authorized" : "Authorize", openCredentials), ` ${isLocked(operation) ? "needs" : "optional:"} ${names}`);
  document.addEventListener("settings", show);
  show();
  return line;
}
