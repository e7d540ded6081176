// Builds nodes. Values of the document become text or values of attributes, never markup.

const byId = id => document.getElementById(id);

const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON?.(value);

// el("p.quiet", {id: "a"}, "Text", [nodes], null): an element with classes, attributes and children. The attributes may be
// omitted; null, undefined and false are.
function el(name, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  const attributes = isObject(children[0]) && !(children[0] instanceof Node) ? children.shift() : {};
  for (const [key, value] of Object.entries(attributes)) {
    if ((value ?? false) === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  return fill(node, children);
}

function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(child => (child ?? false) !== false));
  return node;
}

const button = (label, onclick, attributes) => el("button", { type: "button", onclick, ...attributes }, label);
const quiet = (...children) => el("p.quiet", ...children);
const alert = (...children) => el("p.error", { role: "alert" }, ...children);

// For inputs of what is no prose.
const verbatim = { spellcheck: "false", autocomplete: "off" };

let lastId = 0;
const newId = () => `n${++lastId}`;

function announce(message) {
  byId("status").textContent = message;
}

// A button that shows and hides what `render` makes. Rendered once, when it is first shown.
function unfolding(label, render, attributes = {}) {
  const panel = el("div.panel", { id: newId(), hidden: true });
  const toggle = button(label, () => show(panel.hidden), { "aria-expanded": "false", "aria-controls": panel.id, ...attributes });
  let rendered = false;
  function show(open) {
    try {
      if (open && !rendered) fill(panel, render());
    } catch (fault) {
      fill(panel, alert(`This cannot be shown: ${fault.message}`));
    }
    rendered ||= open;
    panel.hidden = !open;
    toggle.ariaExpanded = open;
  }
  return { toggle, panel, show };
}

// The same as two nodes.
const fold = (label, render, attributes) => {
  const { toggle, panel } = unfolding(label, render, attributes);
  return [toggle, panel];
};

async function copy(text, from) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // Only secure contexts have a clipboard.
    const area = el("textarea.unseen", text);
    (from.closest("dialog") ?? document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    from.focus();
  }
  const label = from.textContent;
  from.textContent = "Copied";
  announce("Copied");
  setTimeout(() => { from.textContent = label; }, 1200);
}

const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;
const maxColoured = 100_000;

// `text` with what matches `pattern` replaced by the nodes that `replace` makes of the match.
function replaced(text, pattern, replace) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index), replace(match));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

// JSON with names, strings and literals in colours; long text is left plain, because every token is a node.
const coloured = text => text.length > maxColoured ? text : replaced(text, jsonToken, ([whole, string, colon]) =>
  [el(`span.json-${colon ? "name" : string ? "string" : "literal"}`, string ?? whole), colon]);

// A scrollable block of code, reachable by keyboard.
const code = (children, label, attributes) => el("pre", { tabindex: "0", role: "group", "aria-label": label, ...attributes }, el("code", children));
const printed = value => JSON.stringify(value, null, 2) ?? "";
const json = (value, label) => code(coloured(printed(value)), label);
