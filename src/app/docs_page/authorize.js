// Credentials of the security schemes. They stay in memory, until the page is closed or reloaded.

const credentials = new Map();  // name of the scheme: its token or key, or user:password

// Credentials, or the server: forms listen to it.
const settingsChanged = () => document.dispatchEvent(new Event("settings"));

// The credentials to send: those of the first alternative whose schemes are all filled in, or as many as there are.
function usedSchemes(operation) {
  const filled = name => credentials.has(name);
  const names = operation.security.map(alternative => Object.keys(alternative));
  return names.find(all => all.length && all.every(filled)) ?? names.find(all => all.some(filled))?.filter(filled) ?? [];
}

function addCredentials(operation, request, query) {
  const schemes = securitySchemes();
  for (const name of usedSchemes(operation)) {
    const scheme = schemes.get(name) ?? {};
    const value = credentials.get(name);
    const kind = text(scheme.scheme).toLowerCase();
    if (scheme.type === "apiKey" && scheme.in === "query") query.push(`${percent(scheme.name)}=${percent(value)}`);
    else if (scheme.type === "apiKey" && scheme.in === "cookie") request.cookies.push(`${scheme.name}=${value}`);
    else if (scheme.type === "apiKey") request.headers.push([scheme.name, value]);
    else if (kind === "basic") request.user = value;
    else request.headers.push(["Authorization", `${kind && kind !== "bearer" ? scheme.scheme : "Bearer"} ${value}`]);
  }
}

const isLocked = operation => operation.security.length > 0 && !operation.security.some(alternative => Object.keys(alternative).length === 0);

function schemeText(scheme) {
  if (scheme.type === "apiKey") return `API key in ${scheme.in} ${scheme.name}`;
  if (scheme.type === "http") return `HTTP ${scheme.scheme} ${text(scheme.bearerFormat)}`;
  return scheme.type === "mutualTLS" ? "Client certificate: the browser chooses it" : `${scheme.type}: a token that you have`;
}

function schemeFields(name, scheme) {
  const field = (label, type, initial, changed) =>
    el("label.field", label, el("input", { type, value: initial, ...verbatim, oninput: event => changed(event.target.value) }));
  const store = value => {
    if (value) credentials.set(name, value);
    else credentials.delete(name);
    settingsChanged();
  };
  const known = credentials.get(name) ?? "";
  if (scheme.type === "mutualTLS") return null;
  if (scheme.type !== "http" || text(scheme.scheme).toLowerCase() !== "basic") return field(scheme.type === "apiKey" ? "Key" : "Token", "password", known, store);
  let [user, password] = known ? [known.slice(0, known.indexOf(":")), known.slice(known.indexOf(":") + 1)] : ["", ""];
  const join = () => store(user || password ? `${user}:${password}` : "");
  return [
    field("User", "text", user, value => { user = value; join(); }),
    field("Password", "password", password, value => { password = value; join(); }),
  ];
}

function openCredentials() {
  const dialog = byId("credentials");
  const forms = [...securitySchemes()].map(([name, scheme]) => el("fieldset", el("legend", name),
    quiet(schemeText(scheme)), markdown(scheme.description), schemeFields(name, scheme)));
  fill(dialog, el("form", { method: "dialog" },
    el("h2", { id: "credentials-title" }, "Authorize"),
    quiet("Kept in memory only and sent with the operations that ask for it."), forms,
    el("button.primary", "Done")));
  dialog.showModal();
}
