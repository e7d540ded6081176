// The page: header, navigation, search, operations, deep links, themes. Starts with the document's address in the body.

const page = { server: "", cards: new Map() };  // cards by the id of the operation

const methodBadge = method => el(`span.method.${method.toLowerCase()}`, method);

// A path that may break behind each slash.
const pathText = path => path.split(/(?<=\/)/).map(part => [part, el("wbr")]);

const addressOf = id => `#${encodeURIComponent(id)}`;

// Parameters, or fields of a response.
const namedDocs = (holders, where) => fieldList(holders.map(holder => {
  const { name, required, description, deprecated } = holder;
  return namedRow([name, schemaOf(holder), required], holder.in ?? where, { ...(description && { description }), ...(deprecated && { deprecated }) });
}));

// Schema and examples of each media type.
function contentDocs(content, direction) {
  return entries(content).map(([type, raw]) => {
    const media = followed(raw);
    const schema = media.schema ?? media.itemSchema;
    return el("div.media", el("p.quiet.about", el("code", type)), schema !== undefined && schemaView(schema),
      type.includes("json") && examplesOf(media, direction).map(([name, value]) => fold(name, () => json(value, name), { class: "more" })));
  });
}

function responseDocs(operation) {
  return [el("h4", "Responses"), operation.responses.map(response => {
    const headers = entries(response.headers).map(([name, header]) => ({ name, ...followed(header) }));
    const label = [el(`span.status.s${response.status[0]}`, response.status), " ", text(response.description)];
    return fold(label, () => [namedDocs(headers, "field"), contentDocs(response.content, "response"), !response.content && quiet("No content.")], { class: "response" });
  })];
}

function operationBody(operation) {
  return [
    el("div.docs",
      operation.deprecated && el("p.warn", "Deprecated. New clients should not use it."),
      markdown(operation.description),
      operation.parameters.length > 0 && el("h4", "Parameters"), namedDocs(operation.parameters),
      operation.body && [el("h4", "Content of the request", badges({}, operation.body.required)), markdown(operation.body.description), contentDocs(operation.body.content, "request")],
      responseDocs(operation),
      el("p.quiet", el("a", { href: addressOf(operation.id) }, "Link to this operation"), " ", el("code", operation.id))),
    tryPanel(operation),
  ];
}

function card(operation) {
  const label = [methodBadge(operation.method), el("span.path", pathText(operation.path)), el("span.summary", operation.summary),
    operation.deprecated && el("span.badge.warn", "deprecated"), isLocked(operation) && el("span.badge", "authorized")];
  const { toggle, panel, show } = unfolding(label, () => operationBody(operation), { class: "operation-head" });
  panel.className = "operation-body";
  toggle.addEventListener("click", () => {
    history.replaceState(null, "", addressOf(operation.id));
    mark(operation.id);
  });
  return { node: el(`article.operation${operation.deprecated ? ".deprecated" : ""}`, el("h3", toggle), panel), toggle, show, operation };
}

function mark(id) {
  for (const { link, operation } of page.cards.values()) link.ariaCurrent = operation.id === id ? "location" : null;
}

function openAddress() {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch { /* as it is */ }
  const target = page.cards.get(id);
  if (!target) return;
  if (target.node.hidden) clearSearch();
  target.show(true);
  mark(id);
  closeMenu();
  target.node.scrollIntoView();
  target.toggle.focus({ preventScroll: true });
}

function introduction() {
  const info = isObject(contract.document.info) ? contract.document.info : {};
  const servers = contract.servers.map(({ url, description }) => el("option", { value: url }, `${url} ${description}`));
  return el("section.introduction", el("h1", text(info.title) || document.title, " ", info.version !== undefined && el("span.badge", String(info.version))),
    info.summary && el("p", text(info.summary)), markdown(info.description),
    el("p.quiet.about", el("label", "Server ", el("select", { onchange: event => chooseServer(event.target.value) }, servers))),
    el("p.quiet.about", el("a", { href: contract.address }, "OpenAPI document")));
}

function chooseServer(url) {
  page.server = url;
  settingsChanged();
}

function tagSection(tag) {
  const cards = tag.operations.map(operation => page.cards.get(operation.id));
  const id = newId();
  tag.section = el("section.tag", { "aria-labelledby": id }, el("h2", { id }, tag.name), markdown(tag.description), cards.map(({ node }) => node));
  tag.group = el("div", el("h2", tag.name), el("ul", cards.map(entry => {
    const { operation } = entry;
    entry.link = el("a", { href: addressOf(operation.id) }, methodBadge(operation.method), " ", el("span", operation.summary || operation.path));
    return entry.item = el("li", entry.link);
  })));
  return tag;
}

function schemasSection() {
  const schemas = entries(contract.document.components?.schemas);
  if (schemas.length === 0) return null;
  return el("section.tag", { id: "schemas", "aria-labelledby": "schemas-title" }, el("h2", { id: "schemas-title" }, "Schemas"),
    schemas.map(([name, schema]) => {
      const [toggle, panel] = fold(name, () => schemaView(schema), { class: "schema-head" });
      return el("article.operation", el("h3", toggle), panel);
    }));
}

function search() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const tag of contract.tags) {
    let shown = 0;
    for (const operation of tag.operations) {
      const matches = words.every(word => operation.words.includes(word));
      const { node, item } = page.cards.get(operation.id);
      node.hidden = item.hidden = !matches;
      shown += matches;
    }
    tag.section.hidden = tag.group.hidden = shown === 0;
    count += shown;
  }
  for (const node of document.querySelectorAll(".introduction, #schemas")) node.hidden = words.length > 0;
  byId("nothing").hidden = count > 0;
  announce(words.length ? `${count} of ${contract.operations.length} operations` : "");
}

function clearSearch() {
  byId("search").value = "";
  search();
}

function closeMenu() {
  byId("menu").ariaExpanded = "false";
}

function onKey(event) {
  const isTyping = event.target.closest("input, textarea, select, dialog") !== null;
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    byId("search").focus();
  }
  if (event.key === "Escape") {
    closeMenu();
    if (event.target.id === "search") clearSearch();
  }
  if (event.key === "Enter" && event.target.id === "search") {
    const first = [...page.cards.values()].find(({ node }) => !node.hidden);
    if (!first) return;
    event.preventDefault();  // or Enter would press the button that gets the focus
    history.replaceState(null, "", addressOf(first.operation.id));
    openAddress();
  }
}

const themes = ["Auto", "Light", "Dark"];

function startTheme() {
  let store = {};
  try {
    store = localStorage;
  } catch { /* it is switched off */ }
  let index = Math.max(themes.indexOf(store.theme), 0);
  const show = () => { document.documentElement.dataset.theme = byId("theme").textContent = store.theme = themes[index]; };
  byId("theme").onclick = () => {
    index = (index + 1) % themes.length;
    show();
  };
  show();
}

function render() {
  page.server = contract.servers[0].url;
  for (const operation of contract.operations) page.cards.set(operation.id, card(operation));
  contract.tags.forEach(tagSection);
  fill(byId("nav"), contract.tags.map(tag => tag.group));
  fill(byId("main"), introduction(), el("p.quiet", { id: "nothing", hidden: true }, "No operation matches."), contract.tags.map(tag => tag.section), schemasSection());
  byId("authorize").hidden = securitySchemes().size === 0;
}

async function start() {
  startTheme();
  byId("menu").onclick = () => { byId("menu").ariaExpanded = byId("menu").ariaExpanded !== "true"; };
  byId("authorize").onclick = openCredentials;
  byId("search").oninput = search;
  document.onkeydown = onKey;
  window.onhashchange = openAddress;
  const address = new URL(document.body.dataset.document, location.href).href;
  try {
    const response = await fetch(address, { headers: { accept: "application/json" } });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const value = parseExactly(await response.text());
    if (!isObject(value)) throw new Error("it is not an object");
    readContract(value, address);
    render();
  } catch (fault) {
    fill(byId("main"), alert(`The document ${address} could not be shown: ${fault.message}`));
    return;
  }
  openAddress();
  performance.mark("ready");
}

start();
