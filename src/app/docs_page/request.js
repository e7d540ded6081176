// From the values of a form to a request, and to the same request as a line for curl.

// Percent-encodes all but unreserved characters; with `reserved`, keeps the reserved ones (allowReserved).
const percent = (value, reserved = false) => reserved ? encodeURI(value).replaceAll("#", "%23").replaceAll("&", "%26").replaceAll("+", "%2B") :
  encodeURIComponent(value).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const asText = value => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value));

// The styles of OpenAPI, without label and matrix, for a value: array, object or text. `encode` is applied to names and values.
function styled(parameter, value, encode) {
  const style = parameter.style ?? { path: "simple", header: "simple" }[parameter.in] ?? "form";
  const explode = parameter.explode ?? style === "form";
  const name = encode(parameter.name);
  const pairs = isObject(value) ? Object.entries(value).map(([key, item]) => [encode(key), encode(asText(item))]) : null;
  const items = Array.isArray(value) ? value.map(item => encode(asText(item))) : null;
  const joined = (separator, equals = separator) =>
    pairs ? pairs.map(pair => pair.join(equals)).join(separator) : items ? items.join(separator) : encode(asText(value));
  if (style === "simple") return explode ? joined(",", "=") : joined(",");
  if (style === "deepObject" && pairs) return pairs.map(([key, item]) => `${name}${encode("[")}${key}${encode("]")}=${item}`).join("&");
  if (explode && pairs) return joined("&", "=");
  if (explode && items) return items.map(item => `${name}=${item}`).join("&");
  return `${name}=${joined({ spaceDelimited: "%20", pipeDelimited: "%7C" }[style] ?? ",")}`;
}

const parameterType = parameter => (parameter.content ? ["json"] : typesOf(simplified(parameter.schema).schema));

// The value that the text of an input stands for: an array has one item on each line, an object is JSON.
function parameterValue(parameter, input) {
  const types = parameterType(parameter);
  return types.includes("array") ? input.split("\n").filter(Boolean) : types.includes("object") ? JSON.parse(input) : input;
}

// Splits the values by place: {path, query: [text], headers: [[name, value]], cookies: [text]}.
function placeParameters(operation, valueOf) {
  const placed = { path: operation.path, query: [], headers: [], cookies: [] };
  for (const parameter of operation.parameters) {
    const input = valueOf(parameter);
    if (input === undefined || (input === "" && parameter.in !== "path")) continue;
    const value = parameterValue(parameter, input);
    const encode = piece => percent(piece, parameter.allowReserved === true && parameter.in === "query");
    if (parameter.in === "path") placed.path = placed.path.replace(`{${parameter.name}}`, () => styled(parameter, value, encode));
    else if (parameter.in === "query") placed.query.push(styled(parameter, value, encode));
    else if (parameter.in === "header") placed.headers.push([parameter.name, styled(parameter, value, piece => piece)]);
    else if (parameter.in === "cookie") placed.cookies.push(styled(parameter, value, percent));
  }
  return placed;
}

const typesOfAnswers = responses => [...new Set(responses.flatMap(response => Object.keys(response.content ?? {})))];

// The media types of successful answers: representations that a client may choose.
const representations = operation => typesOfAnswers(operation.responses.filter(({ status }) => status[0] === "2"));

// {method, url, headers, cookies, body, content}; the body is {text}, {file} or {parts}, and content its media type. Of several
// representations, `type` is the one that is asked for.
function makeRequest(operation, server, valueOf, body, type) {
  const { path, query, headers, cookies } = placeParameters(operation, valueOf);
  const request = { method: operation.method, headers, cookies, body, user: null };
  addCredentials(operation, request, query);
  request.url = server + path + (query.length ? `?${query.join("&")}` : "");
  const others = representations(operation);
  const accepted = typesOfAnswers(operation.responses).filter(one => !type || one === type || !others.includes(one));
  if (accepted.length && !headers.some(([name]) => name.toLowerCase() === "accept")) headers.push(["Accept", accepted.join(", ")]);
  if (body?.type && !body.parts) headers.push(["Content-Type", body.type]);
  return request;
}

const utf8Base64 = value => btoa(String.fromCharCode(...new TextEncoder().encode(value)));

const escapedName = name => name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

// FormData would make a file of each text with a media type.
function multipart({ type, parts }, headers) {
  const boundary = `--------${crypto.getRandomValues(new Uint32Array(4)).join("")}`;
  headers.set("Content-Type", `${type}; boundary=${boundary}`);
  return new Blob([parts.map(({ name, file, text, type = file?.type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${escapedName(name)}"${file ? `; filename="${escapedName(file.name)}"` : ""}\r\n`,
    type || file ? `Content-Type: ${type || "application/octet-stream"}\r\n\r\n` : "\r\n", file ?? text, "\r\n",
  ]), `--${boundary}--\r\n`].flat(2));
}

// The arguments of fetch().
function fetchOptions(request, signal) {
  const headers = new Headers();
  for (const [name, value] of request.headers) headers.append(name, value);
  if (request.user !== null) headers.set("Authorization", `Basic ${utf8Base64(request.user)}`);
  const { parts, text, file } = request.body ?? {};
  const body = parts ? multipart(request.body, headers) : text ?? file;
  return { method: request.method, headers, body, signal, cache: "no-store", credentials: "same-origin" };
}

// As one word of a POSIX shell.
const quoted = word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

// A value of curl's --form in its own quotes.
const formQuoted = value => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

function curlForm(part) {
  if (part.name.includes("=")) throw new Error(`curl takes no equals sign in ${part.name}`);
  if (part.file) return ["--form", `${part.name}=@${formQuoted(part.file.name)}${part.file.type ? `;type=${part.file.type}` : ""}`];
  if (part.type) return ["--form", `${part.name}=${formQuoted(part.text)};type=${part.type}`];
  return ["--form-string", `${part.name}=${part.text}`];
}

const oneLine = value => value.replace(/[\r\n]+/g, " ");

function curlLine(request, isStream) {
  const { url, body, method, cookies } = request;
  const lines = [];
  const add = (...words) => lines.push(words.map(quoted).join(" "));
  const implied = method === "GET" || method === "HEAD" ? !body : method === "POST" && body && (body.parts ? body.parts.length : true);
  const options = [];
  if (method === "HEAD") options.push("--head");
  else if (!implied) options.push("--request", method);
  if (isStream) options.push("--no-buffer");
  if (/[[\]{}]/.test(url)) options.push("--globoff");
  if (/\/\.{1,2}(?:[/?]|$)/.test(url)) options.push("--path-as-is");
  lines.push(["curl", ...options.map(quoted), quoted(url)].join(" "));
  if (request.user !== null) add("--user", request.user);
  for (const [name, value] of request.headers) add("--header", value === "" ? `${name};` : oneLine(`${name}: ${value}`).replace(/^@+/, ""));
  if (cookies.length) add("--cookie", cookies.join("; "));
  if (body?.file) add("--data-binary", `@${body.file.name}`);
  else if (body?.text !== undefined) add("--data-raw", body.text);
  for (const part of body?.parts ?? []) add(...curlForm(part));
  return lines.join(" \\\n  ");
}
