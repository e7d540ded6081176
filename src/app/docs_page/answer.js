// Sends a request and shows the answer while it arrives: text, JSON, images, downloads, event streams.

const maxShown = 200_000;          // characters
const maxKept = 100_000_000;       // bytes, then the exchange is stopped
const maxEvents = 200;             // in the list
const maxEventLength = 1_000_000;  // characters

const faultText = fault => fault.name === "TypeError" ? `The request failed (${fault.message}). The server was not reached or closed the connection; or this page may not call it (CORS or Content-Security-Policy).` : fault.message;

const sizeText = bytes => (bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

// JSON with line breaks and indentation; numbers stay as they were sent, because a number of JavaScript has 53 bits.
function pretty(source) {
  const tokens = source.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g) ?? [];
  let result = "", depth = 0;
  const line = () => `\n${"  ".repeat(Math.min(depth, 40))}`;
  tokens.forEach((token, index) => {
    const isEmpty = "[{".includes(tokens[index - 1] ?? " ");
    if ("]}".includes(token)) --depth;
    if ("]}".includes(token) && !isEmpty) result += line();
    result += token;
    if ("[{".includes(token)) ++depth;
    if (token === ":") result += " ";
    if (token === "," || ("[{".includes(token) && !"]}".includes(tokens[index + 1] ?? "]"))) result += line();
  });
  return result;
}

function prettyIfJson(source) {
  try {
    JSON.parse(source);
  } catch {
    return source;
  }
  return pretty(source);
}

const isTextType = type => type === "" || isJson(type) || /^text\/|xml|yaml|javascript|x-www-form-urlencoded|ndjson|jsonl|graphql/i.test(type);

function fileName(response, url) {
  const name = /filename\*?\s*=\s*(?:utf-8'')?"?([^";]+)/i.exec(response.headers.get("content-disposition"))?.[1] ?? lastSegment(new URL(url).pathname);
  try {
    return decodeURIComponent(name) || "answer";
  } catch {
    return name;
  }
}

// The documented response that a status falls under.
const documented = (operation, status) => [String(status), `${String(status)[0]}XX`, "DEFAULT"]
  .map(key => operation.responses.find(response => response.status.toUpperCase() === key)).find(Boolean);

function headView(response, operation, milliseconds) {
  const known = documented(operation, response.status);
  const fields = unfolding("Fields", () => el("dl.headers", [...response.headers].map(([name, value]) => [el("dt", name), el("dd", value)])));
  const progress = el("span.quiet", `${Math.round(milliseconds)} ms`);
  return { progress, node: [
    el("div.bar", el("h5", "Answer"), el(`span.status.s${String(response.status)[0]}`, `${response.status} ${response.statusText}`.trim()), progress, fields.toggle),
    known || response.redirected ? quiet(text(known?.description), response.redirected && ` Redirected to ${response.url}`) : el("p.warn", "This status is not in the document."),
    fields.panel,
  ] };
}

// Server-sent events (the WHATWG's HTML standard, section 9.2): calls `show` with {event, id, data} for each.
function eventParser(show) {
  let rest = "", event = "", id = "", data = [];
  function take(line) {
    if (line === "") {
      if (data.length) show({ event, id, data: data.join("\n") });
      event = "";
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
    else if (name === "id") id = value;
  }
  return piece => {
    rest += piece;
    const held = rest.endsWith("\r") ? "\r" : "";  // "\n" may follow
    const lines = rest.slice(0, rest.length - held.length).split(/\r\n|\n|\r/);
    rest = lines.pop() + held;
    lines.forEach(take);
    if (rest.length > maxEventLength) throw new Error("An event is too long to be shown.");
  };
}

function eventList(place) {
  const rows = el("ol");
  const log = el("div.events", { role: "log", "aria-label": "Events", tabindex: "0" }, rows);
  place.append(log);
  return ({ event, id, data }) => {
    const isAtEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 40;
    rows.append(el("li", el("div.quiet", new Date().toLocaleTimeString(), " ", el("strong", event || "message"), id && ` id ${id}`), el("pre", coloured(prettyIfJson(data.slice(0, maxShown))))));
    if (rows.children.length > maxEvents) rows.firstChild.remove();
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  };
}

// Text as it arrives; finish() shows JSON with indentation.
function textView(place, type) {
  const area = code([], "Content of the answer");
  const more = el("p.quiet");
  let received = "", length = 0;
  place.append(area, more);
  return {
    add(piece) {
      length += piece.length;
      if (received.length >= maxShown) return;
      received = (received + piece).slice(0, maxShown);
      area.firstChild.textContent = received;
    },
    finish() {
      const isWhole = length === received.length;
      if (isWhole && isJson(type)) fill(area.firstChild, coloured(prettyIfJson(received)));
      if (!isWhole) more.textContent = `The first ${maxShown.toLocaleString()} of ${length.toLocaleString()} characters.`;
      if (length === 0) fill(place, quiet("No content."));
    },
  };
}

function offerFile(place, blob, name) {
  URL.revokeObjectURL(place.shownFile);  // it keeps its content in memory
  const url = place.shownFile = URL.createObjectURL(blob);
  return [
    /^image\//.test(blob.type) && el("img", { src: url, alt: "Image of the answer" }),
    el("p", el("a", { href: url, download: name }, `Download ${name}`), ` (${sizeText(blob.size)})`),
  ];
}

// One exchange; ends when the answer has ended, or with the fault of fetch().
async function exchange(request, operation, place, signal) {
  const started = performance.now();
  fill(place, quiet("Sent. Waiting for the answer…"));
  const response = await fetch(request.url, fetchOptions(request, signal));
  const { node, progress } = headView(response, operation, performance.now() - started);
  const content = el("div");
  fill(place, node, content);
  announce(`Answer ${response.status} ${response.statusText}`);
  const type = response.headers.get("content-type") ?? "";
  const isEvents = type.startsWith("text/event-stream");
  const view = isEvents ? { add: eventParser(eventList(content)), finish() {} } : isTextType(type) ? textView(content, type) : null;
  const decoder = new TextDecoder(), chunks = [];
  let size = 0, stopped = false;
  const report = () => { progress.textContent = `${Math.round(performance.now() - started)} ms · ${sizeText(size)}`; };
  try {
    for (const reader = response.body?.getReader(); reader;) {
      const { value, done } = await reader.read();
      if (done) break;
      size += value.length;
      if (!isEvents) chunks.push(value);
      view?.add(decoder.decode(value, { stream: true }));
      report();
      if (!isEvents && size > maxKept) {
        await reader.cancel();
        throw new Error(`Stopped: more than ${sizeText(maxKept)}.`);
      }
    }
    view?.add(decoder.decode());
  } catch (fault) {
    stopped = true;
    content.append(alert(fault.name === "AbortError" ? "Stopped." : faultText(fault)));
  }
  report();
  if (!stopped) view?.finish();
  const isLarge = size > maxShown;
  if (!isEvents && !stopped && size > 0 && (!view || isLarge)) content.append(...offerFile(place, new Blob(chunks, { type }), fileName(response, response.url)).filter(Boolean));
}
