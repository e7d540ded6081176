// The dashboard: "begin" has what has happened before, then "now" comes each second. Numbers are counted since the start
// of the server; what is shown of a minute is the difference of two messages.
const maxMoments = 300, minute = 60;
const classes = ["1xx", "2xx", "3xx", "4xx", "5xx"];
const mayChange = document.body.dataset.changes === "true";
let begin = null, moments = [], history = [], paused = false, tracesSeen = -1, lastTraces = 0;

const sum = list => list.reduce((all, one) => all + one, 0);
const last = list => list[list.length - 1];
const isOwn = row => row.route.startsWith(location.pathname);
const place = row => `${row.method} ${row.route || "(no route)"}`;

// 1234 -> "1,234", 12.34 -> "12.3"
function number(value) {
  if (value >= 99.95 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}
const bytes = value => value >= 2 ** 30 ? [number(value / 2 ** 30), "GiB"] : [number(value / 2 ** 20), "MiB"];
function time(ms) {
  if (ms === null) return ["–", ""];
  return ms >= 10000 ? [number(ms / 1000), "s"] : ms >= 1 ? [number(ms), "ms"] : [number(ms * 1000), "µs"];
}
const timeText = ms => time(ms).join(" ").trim();
function span(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const index = parts.findIndex(([size]) => seconds >= size);
  if (index < 0) return "0 s";
  const rest = Math.floor(seconds % parts[index][0] / (parts[index + 1]?.[0] ?? 1));
  const first = `${Math.floor(seconds / parts[index][0])} ${parts[index][1]}`;
  return index < 2 && rest ? `${first} ${rest} ${parts[index + 1][1]}` : first;
}

// The duration below which the share `q` of the requests is, in ms, from counts by begin.bounds; null without requests.
function quantile(buckets, q) {
  const rank = sum(buckets) * q;
  if (!rank) return null;
  let before = 0;
  for (let i = 0; i < buckets.length; ++i) {
    if (before + buckets[i] >= rank) {
      const low = begin.bounds[i - 1] ?? 0, high = begin.bounds[i] ?? low;
      return low + (high - low) * (rank - before) / buckets[i];
    }
    before += buckets[i];
  }
  return last(begin.bounds);
}
const total = list => list.reduce((all, one) => one.map((value, i) => value + (all[i] ?? 0)), []);
const minus = (one, other) => other ? one.map((value, i) => value - other[i]) : one;

// Keeps the rows of `body` for as long as their keys are there, so that nothing flickers.
function keep(body, items, keyOf, make) {
  const known = new Map([...body.children].map(node => [node.dataset.key, node]));
  items.forEach((item, index) => {
    const key = keyOf(item);
    let node = known.get(key);
    if (!node) {
      node = make(item);
      node.dataset.key = key;
    }
    known.delete(key);
    if (body.children[index] !== node) body.insertBefore(node, body.children[index] ?? null);
    node.update?.(item);
  });
  for (const node of known.values()) node.remove();
}
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// A table with these heads: [text, class]. Its rows have cells that `fillRow` sets.
function table(id, heads, cells) {
  const body = el("tbody");
  fill(byId(id), el("thead", el("tr", heads.map(([text, name]) => el(`th${name ? "." + name : ""}`, { scope: "col" }, text)))), body);
  return (items, keyOf) => keep(body, items, keyOf, item => {
    const made = cells(item);
    const row = el("tr", made.nodes);
    row.update = made.update;
    return row;
  });
}

// --- Charts ---

const probe = el("i", { hidden: true });
document.body.append(probe);
function colour(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

// The context of a canvas in CSS pixels.
function drawing(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas, ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

function spark(canvas, values, name) {
  const { context, width, height } = drawing(canvas);
  const most = Math.max(...values, 1e-9), step = width / (maxMoments / 3 - 1), shown = values.slice(-maxMoments / 3);
  const x = index => width - (shown.length - 1 - index) * step, y = value => height - 2 - (height - 6) * value / most;
  if (shown.length < 2) return;
  context.beginPath();
  shown.forEach((value, index) => context.lineTo(x(index), y(value)));
  context.strokeStyle = colour(name);
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(width, height);
  context.lineTo(x(0), height);
  context.globalAlpha = .14;
  context.fillStyle = context.strokeStyle;
  context.fill();
  context.globalAlpha = 1;
}

// Rows that have no requests above them are left out.
function heat() {
  const canvas = byId("heat"), { context, width, height } = drawing(canvas);
  const used = total(moments.map(moment => moment.buckets));
  const rows = Math.max(8, used.findLastIndex(count => count) + 2), step = width / maxMoments, tall = height / rows;
  const most = Math.log1p(Math.max(...moments.flatMap(moment => moment.buckets), 1));
  context.fillStyle = colour("accent");
  moments.forEach((moment, index) => moment.buckets.forEach((count, bucket) => {
    if (!count) return;
    context.globalAlpha = .12 + .88 * Math.log1p(count) / most;
    context.fillRect(width - (moments.length - index) * step, height - (bucket + 1) * tall, Math.ceil(step), tall - 1);
  }));
  context.globalAlpha = 1;
  for (const [q, name] of [[.5, "green"], [.99, "red"]]) {
    context.beginPath();
    context.strokeStyle = colour(name);
    context.lineWidth = 1.5;
    moments.forEach((moment, index) => {
      const ms = quantile(moment.buckets, q);
      if (ms === null) return;
      const bucket = begin.bounds.findIndex(bound => ms <= bound), at = bucket < 0 ? begin.bounds.length : bucket;
      const low = begin.bounds[at - 1] ?? 0, high = begin.bounds[at] ?? ms * 2;
      const part = at + (ms - low) / (high - low);
      context.lineTo(width - (moments.length - index - .5) * step, height - part * tall);
    });
    context.stroke();
  }
  const marks = begin.bounds.slice(0, rows - 1).map(bound => timeText(bound));
  if (byId("scale").childElementCount !== rows) fill(byId("scale"), marks.map(text => el("span", text)), el("span", "more"));
  const buckets = total(moments.slice(-minute).map(moment => moment.buckets));
  const parts = [["p50", .5, "s2"], ["p90", .9, ""], ["p99", .99, "s5"], ["p99.9", .999, ""]].map(([name, q, className]) =>
    el(`span${className ? "." + className : ""}`, className && el("i"), `${name} ${timeText(quantile(buckets, q))}`));
  fill(byId("percentiles"), parts, el("span.quiet", "of the last minute"));
  canvas.ariaLabel = `Latency of the last minute: ${byId("percentiles").textContent}`;
}

function statuses() {
  const canvas = byId("statuses"), { context, width, height } = drawing(canvas);
  const rates = moments.map(moment => moment.statuses.map(count => count / moment.seconds));
  const most = Math.max(...rates.map(sum), 1), step = width / maxMoments;
  const colours = ["quiet", "green", "blue", "amber", "red"].map(colour);
  rates.forEach((rate, index) => {
    let y = height;
    rate.forEach((value, i) => {
      if (!value) return;
      const tall = Math.max((height - 14) * value / most, 1);
      context.fillStyle = colours[i];
      context.fillRect(width - (rates.length - index) * step, y -= tall, Math.ceil(step), tall);
    });
  });
  context.fillStyle = colour("quiet");
  context.font = "11px system-ui";
  context.fillText(`${number(most)}/s`, 2, 10);
  const now = last(rates) ?? [];
  fill(byId("status-legend"), classes.map((name, i) => el(`span.s${i + 1}`, el("i"), `${name} ${number(now[i] ?? 0)}`)).slice(1));
  canvas.ariaLabel = `Responses a second: ${classes.map((name, i) => `${name} ${number(now[i] ?? 0)}`).join(", ")}`;
}

// --- Parts of the page ---

const tileKinds = [
  ["Requests", moment => sum(moment.statuses) / moment.seconds, value => [number(value), "/s"], "accent"],
  ["Latency p99", moment => quantile(moment.buckets, .99), time, "accent"],
  ["Errors 5xx", moment => sum(moment.statuses) ? 100 * moment.statuses[4] / sum(moment.statuses) : 0, value => [number(value), "%"], "red"],
  ["In flight", moment => moment.active, value => [number(value), ""], "accent"],
  ["Connections", moment => moment.connections + moment.websockets, value => [number(value), ""], "accent"],
  ["Refused", moment => moment.refused / moment.seconds, value => [number(value), "/s"], "amber"],
  ["Pool", moment => moment.pool_queued + moment.pool_running, (_, moment) => [number(moment.pool_running), `running · ${number(moment.pool_queued)} wait`], "accent"],
  ["Processors", moment => moment.cpu, value => [number(value), "used"], "accent"],
  ["Loop lag", moment => moment.lag, value => [`< ${timeText(value)}`, ""], "amber"],
  ["Memory", moment => moment.memory, bytes, "accent"],
];
const tiles = tileKinds.map(([title]) => {
  const value = el("div.number"), canvas = el("canvas", { "aria-hidden": "true" });
  byId("tiles").append(el("div.tile", el("h2", title), value, canvas));
  return { value, canvas };
});
function showTiles() {
  const moment = last(moments);
  if (!moment) return;
  tileKinds.forEach(([, valueOf, textOf, name], index) => {
    const [text, unit] = textOf(valueOf(moment), moment);
    const key = `${text} ${unit}`;
    if (tiles[index].value.dataset.key !== key) fill(tiles[index].value, text, unit && el("small", unit)).dataset.key = key;
    spark(tiles[index].canvas, moments.map(one => valueOf(one) ?? 0), name);
  });
}

function bar() {
  const fillIn = el("i"), node = el("span.bar", { "aria-hidden": "true" }, fillIn);
  return { node, set: (share, hot) => { fillIn.style.width = `${Math.min(share, 1) * 100}%`; node.classList.toggle("hot", hot); } };
}
function showLoops(now) {
  const busy = last(moments)?.busy ?? [];
  keep(byId("loops"), busy.map((share, index) => ({ share, index, state: now.loops.find(({ loop }) => loop === index) })), one => String(one.index), one => {
    const value = el("span"), work = el("small.quiet"), { node, set } = bar();
    const due = el("ol"), kinds = el("span"), timers = el("details", el("summary", kinds), due);
    const row = el("div.loop", el("span.quiet", `Loop ${one.index}`), node, value, work, timers);
    row.update = ({ share, state }) => {
      timers.hidden = !state?.next_timers.length;
      setText(kinds, state ? `timers: ${state.timer_kinds.map(({ what, count }) => `${what} ${number(count)}`).join(", ")}` : "");
      keep(due, timers.open && state ? state.next_timers.map((timer, place) => ({ ...timer, place })) : [], timer => String(timer.place), () => {
        const when = el("span.n"), what = el("span"), item = el("li", when, what);
        item.update = timer => { setText(when, timeText(timer.milliseconds)); setText(what, timer.what); };
        return item;
      });
      set(share, share > .9);
      setText(value, `${number(share * 100)} %`);
      setText(work, state ? ["sockets", "offloaded", "timers", "posted"].map(name => `${name} ${number(state[name])}`).join(" · ") : "does not answer");
    };
    return row;
  });
}

function cellsOf(names) {
  const cells = names.map(name => el(`td${name ? "." + name : ""}`));
  return { cells, set: texts => texts.forEach((text, i) => setText(cells[i], text)) };
}

const showRoutes = table("routes", [["Route"], ["Requests/s", "n"], ["Share"], ["p50", "n"], ["p90", "n"], ["p99", "n"], ["4xx", "n"], ["5xx", "n"]], row => {
  const { cells, set } = cellsOf(["n", "n", "n", "n", "n", "n"]), share = bar();
  const name = el("th.route", { scope: "row" }, el("span.method", row.method), " ", row.route || el("span.quiet", "(no route)"));
  return {
    nodes: [name, cells[0], el("td", share.node), cells.slice(1)],
    update: one => {
      set([number(one.rate), ...[.5, .9, .99].map(q => timeText(quantile(one.buckets, q))), number(one.statuses[3]), number(one.statuses[4])]);
      cells[5].classList.toggle("error", one.statuses[4] > 0);
      share.set(one.share, false);
    },
  };
});
// Of the last minute, from the totals of now and then.
function routesOf(now) {
  const then = history[0], seconds = Math.max((now.time - then.time) / 1000, 1), rows = new Map();
  const before = new Map(then.routes.map(row => [`${row.status_class} ${place(row)}`, row.buckets]));
  for (const one of now.routes) {
    if (isOwn(one)) continue;
    const buckets = minus(one.buckets, now === then ? one.buckets : before.get(`${one.status_class} ${place(one)}`));
    const row = rows.get(place(one)) ?? { method: one.method, route: one.route, buckets: [], statuses: [0, 0, 0, 0, 0] };
    row.buckets = total([row.buckets.length ? row.buckets : buckets.map(() => 0), buckets]);
    row.statuses[one.status_class - 1] += sum(buckets);
    rows.set(place(one), row);
  }
  const list = [...rows.values()];
  for (const row of list) row.rate = sum(row.buckets) / seconds;
  const most = Math.max(...list.map(row => row.rate), 1e-9);
  for (const row of list) row.share = row.rate / most;
  return list.sort((a, b) => b.rate - a.rate || place(a).localeCompare(place(b))).slice(0, 25);
}

async function change(method, address, content) {
  const answer = await fetch(address, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(content) });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? answer.statusText);
}
const changed = (promise, text) => promise.then(() => announce(text), fault => announce(`It did not work: ${fault.message}`));

const showFlights = table("flights", [["Age", "n"], ["Request"], ["Waits for"], ["Client"], ["Id"], ["Stop", "n"]], one => {
  const { cells, set } = cellsOf(["n", "waits", "client", "route"]);
  const stop = mayChange && button("Cancel", () => changed(change("POST", "cancel", { loop: one.loop, number: one.number }), "The request is being stopped."), { "aria-label": `Cancel ${place(one)}` });
  return {
    nodes: [cells[0], el("th.route", { scope: "row" }, el("span.method", one.method), " ", one.path), cells.slice(1), el("td.n", stop)],
    update: now => set([span(now.seconds) === "0 s" ? timeText(now.seconds * 1000) : span(now.seconds), now.chain || now.awaits || "runs", now.remote, now.id]),
  };
});

function showErrors(now) {
  const rows = now.routes.filter(row => row.status_class >= 4 && !isOwn(row)).map(row => ({ what: place(row), kind: classes[row.status_class - 1], count: sum(row.buckets) }));
  for (const [key, count] of Object.entries(now.figures)) {
    const reason = /^tern_refusals\{reason=(.+)\}$/.exec(key);
    if (reason && count) rows.push({ what: reason[1].replaceAll("_", " "), kind: "refused", count });
  }
  errorRows(rows.sort((a, b) => b.count - a.count).slice(0, 20), row => row.kind + row.what);
}
const errorRows = table("errors", [["What"], ["Kind"], ["Count", "n"]], row => {
  const count = el("td.n");
  return { nodes: [el("th.route", { scope: "row" }, row.what), el(`td${row.kind === "5xx" ? ".error" : ""}`, row.kind), count], update: one => setText(count, number(one.count)) };
});

const showTexts = table("texts", [["Text"], ["Request"], ["Last"], ["Count", "n"]], row => {
  const { cells, set } = cellsOf(["quiet", "n"]);
  return {
    nodes: [el("th.text", { scope: "row" }, row.text), el("td.route", el("span.method", row.method), " ", row.route || el("span.quiet", "(no route)")), cells],
    update: one => set([new Date(one.last).toLocaleTimeString(), number(one.count)]),
  };
});

// Pools of databases, from the figures of now and of a minute ago.
function databasesOf(now) {
  const then = history[0].figures, seconds = Math.max((now.time - history[0].time) / 1000, 1), pools = new Map();
  for (const [key, value] of Object.entries(now.figures)) {
    const found = /^(\w+)\{db_client_connection_pool_name=([^,}]+)(?:,\w+=(\w+))?\}$/.exec(key);
    if (!found) continue;
    const [, name, pool, kind] = found, row = pools.get(pool) ?? { pool, now: {}, rate: {}, since: {} };
    const short = kind ? `${name} ${kind}` : name;
    row.now[short] = value;
    row.since[short] = now === history[0] ? 0 : value - (then[key] ?? 0);
    row.rate[short] = row.since[short] / seconds;
    pools.set(pool, row);
  }
  return [...pools.values()];
}
const showDatabases = table("databases", [["Pool"], ["In use", "n"], ["Idle", "n"], ["Share"], ["Waiting", "n"], ["Wait", "n"], ["Statements/s", "n"], ["Errors", "n"], ["Cancelled", "n"], ["Refused", "n"], ["Reconnects", "n"]], row => {
  const { cells, set } = cellsOf(Array(9).fill("n")), share = bar();
  return {
    nodes: [el("th.route", { scope: "row" }, row.pool), cells.slice(0, 2), el("td", share.node), cells.slice(2)],
    update: ({ now, rate, since }) => {
      const used = now["db_client_connection_count used"], idle = now["db_client_connection_count idle"];
      const waits = since.db_client_connection_wait_time_seconds_count;
      const statements = ["ok", "error", "cancelled"].map(outcome => rate[`tern_db_statements ${outcome}`]);
      set([used, idle, now.db_client_connection_pending_requests].map(number).concat(
        timeText(waits ? 1000 * since.db_client_connection_wait_time_seconds_sum / waits : null), number(sum(statements)),
        [now["tern_db_statements error"], now["tern_db_statements cancelled"], now.db_client_connection_timeouts, now.tern_db_reconnects].map(number)));
      share.set(used / Math.max(used + idle, 1), used && !idle);
      cells[5].classList.toggle("error", now["tern_db_statements error"] > 0);
    },
  };
});

const allLevels = ["debug", "info", "warning", "error", "off"];
function chooser(part) {
  const select = el("select", { "aria-label": part ? `Level of ${part}` : "Level of the log", disabled: !mayChange,
    onchange: () => changed(change("PUT", "log/level", part ? { level: select.value, part } : { level: select.value }), "The level is changed.") },
  [...allLevels, ...(part ? ["default"] : [])].map(level => el("option", level)));
  return select;
}
function showLevels(levels) {
  keep(byId("levels"), [{ part: "", level: levels.level }, ...levels.parts], one => one.part ?? "", one => {
    const select = chooser(one.part), row = el("div.loop", el("span", one.part || "all"), select, el("span"));
    row.update = ({ level }) => { if (document.activeElement !== select && select.value !== level) select.value = level; };
    return row;
  });
}

if (mayChange) {
  const part = el("input", { placeholder: "part, or file.cpp:42", "aria-label": "Part or statement", required: true, maxLength: 200 });
  const add = event => {
    event.preventDefault();
    changed(change("PUT", "log/level", { level: "debug", part: part.value.trim() }).then(() => { part.value = ""; }), "The level is changed.");
  };
  byId("levels").after(el("form.add", { onsubmit: add }, part, el("button", "Write debug")));
}

function showHealth(health) {
  const rows = Object.entries(health.checks ?? {}).map(([name, [check]]) => ({ name, ...check }));
  healthRows(rows.length ? rows : [{ name: "no checks", status: health.status ?? "pass" }], row => row.name);
}
const healthRows = table("health", [["Check"], ["Status"], ["Fault"]], row => {
  const status = el("span.pill"), fault = el("td");
  return { nodes: [el("th", { scope: "row" }, row.name), el("td", status), fault], update: one => {
    status.className = `pill ${{ pass: "good", warn: "warn" }[one.status] ?? "bad"}`;
    setText(status, one.status);
    setText(fault, one.output ?? "");
  } };
});

const pairRows = id => table(id, [["Name"], ["Value", "n"]], row => {
  const value = el("td.n");
  return { nodes: [el("th.route", { scope: "row" }, row[0]), value], update: one => setText(value, one[1]) };
});
const showConfiguration = pairRows("configuration"), showFigures = pairRows("figures");

// --- Traces ---

// Steps stand below what they are part of, and in order of time beside each other. Times alone do not say which of two is
// part of the other: a step often begins in the same fraction of a microsecond as its first part.
function waterfall([request, ...steps]) {
  const whole = Math.max(request.milliseconds, .001), ids = new Set(steps.map(one => one.span_id)), rows = [];
  steps.sort((a, b) => a.start - b.start);
  const add = (one, depth) => {
    const from = Math.max((one.start - request.start) * 1000 / whole, 0), piece = el(`i${one.fault ? ".failed" : ""}`);
    piece.style.left = `${Math.min(from, 1) * 100}%`;
    piece.style.width = `${Math.min(one.milliseconds / whole, 1 - Math.min(from, 1)) * 100}%`;
    const name = el("span", one.name, one.fault && el("span.error", ` ${one.fault}`));
    name.style.paddingLeft = `${Math.min(depth, 8)}rem`;
    rows.push(el("div.span", name, el("div.track", piece), el("span.n", timeText(one.milliseconds))));
    for (const part of steps) if (one === request ? !ids.has(part.parent_id) : part.parent_id === one.span_id) add(part, depth + 1);
  };
  add(request, 0);
  return rows;
}
async function showTraces() {
  lastTraces = Date.now();
  const all = await (await fetch("traces")).json();
  const since = Date.now() / 1000 - 600;
  const recent = all.filter(spans => spans[0].start > since), isFailed = spans => spans[0].failed;
  const slowest = recent.filter(spans => !isFailed(spans)).sort((a, b) => b[0].milliseconds - a[0].milliseconds).slice(0, 10);
  slowest.push(...recent.filter(isFailed).slice(0, 5));
  if (!slowest.length) return fill(byId("traces"), el("p.empty", { "data-key": "none" }, "No slow or failed requests."));
  keep(byId("traces"), slowest, spans => spans[0].span_id, spans => {
    const [request] = spans, detail = el("div");
    const node = el("details.trace", { ontoggle: () => node.open && !detail.firstChild && fill(detail, waterfall(spans), el("p.quiet", "Trace ", el("code", request.trace_id))) },
      el("summary", el(`span.n${request.fault !== "" || request.failed ? ".error" : ""}`, timeText(request.milliseconds)),
        el("span.route", request.name, request.failed && el("span.error", " failed")),
        el("span.quiet", new Date(request.start * 1000).toLocaleTimeString())), detail);
    return node;
  });
}

// --- Messages ---

function show(now) {
  const draining = now.draining, health = JSON.parse(now.health || "{}"), isReady = health.status !== "fail";
  byId("state").className = `pill ${draining ? "warn" : isReady ? "good" : "bad"}`;
  setText(byId("state"), draining ? "stopping" : isReady ? "serving" : "not ready");
  setText(byId("uptime"), `up ${span((now.time - begin.started) / 1000)} · process ${begin.process} · Tern ${begin.version}`);
  showTiles();
  heat();
  statuses();
  showLoops(now);
  showRoutes(routesOf(now), place);
  showFlights(now.flights, one => `${one.loop}-${one.number}`);
  setText(byId("flight-count"), `${number(now.flights.length)}${now.stalled.length ? ` · loops that do not answer: ${now.stalled.join(" ")}` : ""}`);
  showErrors(now);
  showTexts(now.errors, row => `${row.method} ${row.route} ${row.text}`);
  const databases = databasesOf(now);
  byId("databases-card").hidden = !databases.length;
  showDatabases(databases, row => row.pool);
  showLevels(now.levels);
  showHealth(health);
  showFigures(Object.entries(now.figures).map(([name, value]) => [name, number(value)]), row => row[0]);
  if (now.traces !== tracesSeen && Date.now() - lastTraces > 3000) {
    tracesSeen = now.traces;
    showTraces().catch(() => {});
  }
}

const source = new EventSource("events");
source.addEventListener("begin", event => {
  begin = JSON.parse(event.data);
  moments = begin.moments;
  history = [];
  tracesSeen = -1;
  showConfiguration(begin.configuration, row => row[0]);
});
source.addEventListener("now", event => {
  const now = JSON.parse(event.data);
  if (now.moment.length && now.moment[0].time !== last(moments)?.time) moments.push(now.moment[0]);
  moments = moments.slice(-maxMoments);
  history.push(now);
  if (history.length > minute) history.shift();
  if (!paused && !document.hidden) show(now);
});
source.addEventListener("error", () => {
  byId("state").className = "pill bad";
  setText(byId("state"), "no connection");
});
byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").ariaPressed = paused;
  if (!paused && history.length) show(last(history));
});
addEventListener("visibilitychange", () => !document.hidden && !paused && history.length && show(last(history)));
addEventListener("resize", () => history.length && show(last(history)));

const themes = ["System", "Light", "Dark"];
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
  if (history.length) show(last(history));
}
byId("theme").addEventListener("click", () => setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % 3]));
setTheme("System");
