// The dashboard in headless Chromium, under load: dashboard_test.js SERVER SCRIPT_AXE [PICTURES]. Skipped (77) without
// Chromium. With a folder PICTURES, the page is photographed there.
const assert = require("assert");
const { spawn, spawnSync } = require("child_process");
const { once } = require("events");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { findBrowser, launch } = require("../browser/browser.js");

const [, , program, getAxe, pictures] = process.argv;
const looks = [1400, 1920, 1280, 1024, 768, 390].flatMap(width => [["light", width], ["dark", width]]);
let browser, origin, ends = false;

// A request with these fields; its status and fields.
const ask = (address, { method = "GET", headers = {}, body = "" } = {}) => new Promise((resolve, reject) => {
  const request = http.request(origin + address, { method, headers }, answer => {
    let content = "";
    answer.on("data", data => content += data);
    answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, content }));
  });
  request.on("error", reject);
  request.end(body);
});

// Requests all the time, of all kinds.
async function load() {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const one = address => new Promise(resolve => http.get(origin + address, { agent }, answer => answer.resume().on("end", resolve)).on("error", resolve));
  const repeat = async (address, pause) => {
    while (!ends) {
      await one(typeof address === "function" ? address() : address);
      await new Promise(resolve => setTimeout(resolve, pause));
    }
  };
  for (let i = 0; i < 4; ++i) repeat(() => `/books/${1 + Math.floor(Math.random() * 99)}`, 5);
  repeat(() => `/wait/${Math.floor(Math.random() ** 3 * 120)}`, 10);
  repeat(() => `/report/${20 + Math.floor(Math.random() * 150)}`, 200);
  repeat("/fails", 400);
  repeat("/missing", 300);
}

const text = (page, selector) => page.evaluate(selector => document.querySelector(selector)?.textContent ?? "", selector);
const rowsOf = (page, id) => page.evaluate(id => [...document.querySelectorAll(`#${id} tbody tr`)].map(row => row.textContent), id);

const tests = {
  async "shows what happens, without an error"(page) {
    await page.until(() => document.querySelectorAll("#routes tbody tr").length >= 4);
    await page.until(() => [...document.querySelectorAll("#routes tbody tr")].some(row => row.textContent.includes("/books/{id}")));
    assert.strictEqual(await text(page, "#brand"), "Book <shop>");
    assert.match(await text(page, "#state"), /serving/);
    assert.match((await rowsOf(page, "errors")).join("\n"), /\/fails5xx/);
    assert.match((await rowsOf(page, "errors")).join("\n"), /\/missing|no route/);
    assert.match((await rowsOf(page, "health")).join("\n"), /mailwarnthe check returned false/);
    assert.match((await rowsOf(page, "configuration")).join("\n"), /pool\.max_queued_jobs1024/);
    assert.match((await rowsOf(page, "figures")).join("\n"), /tern_connections_accepted/);
    await page.until(() => /p99 [\d.,]+ (ms|µs|s)/.test(document.querySelector("#heat").ariaLabel));
  },

  async "shows the texts of errors and the pools of databases"(page) {
    await page.until(() => document.querySelectorAll("#texts tbody tr").length);
    const [failure] = await rowsOf(page, "texts");
    assert.match(failure, /no disk.*GET \/fails/);
    const count = await page.until(() => Number(document.querySelector("#texts tbody td:last-child").textContent.replaceAll(",", "")));
    assert.ok(count > 0);
    await page.until(count => Number(document.querySelector("#texts tbody td:last-child").textContent.replaceAll(",", "")) > count, count);
    const pools = await rowsOf(page, "databases");
    assert.strictEqual(pools.length, 1);
    assert.match(pools[0], /^books53/);
    const cells = await page.evaluate(() => [...document.querySelectorAll("#databases tbody td")].map(cell => cell.textContent));
    assert.deepStrictEqual(cells, ["5", "3", "", "2", "–", "0", "7", "0", "1", "4"]);
  },

  async "shows the spans of slow requests"(page) {
    await page.until(() => document.querySelector("#traces details"));
    const slow = await page.until(() => [...document.querySelectorAll("#traces summary")].find(node => node.textContent.includes("/report/"))?.textContent);
    assert.match(slow, /GET \/report\/\{size\}/);
    await page.click("#traces summary", "/report/");
    await page.until(() => document.querySelectorAll("#traces details[open] .span").length === 4);
    assert.match(await text(page, "#traces details[open]"), /load rows.*render.*draw/s);
  },

  async "shows a step above its parts that began with it"(page) {
    await page.evaluate(() => {
      const begin = Date.now() / 1000;
      const step = (span_id, parent_id, start) => ({ span_id, parent_id, trace_id: "t", name: span_id, start: begin + start, milliseconds: 9e9, failed: false, fault: "" });
      const spans = [step("request", "client", 0), step("ink", "draw", 1), step("draw", "render", 1), step("render", "request", 1), step("load", "request", 0), step("lost", "?", 2)];
      window.realFetch = window.fetch;
      window.fetch = (address, ...more) => address === "traces" ? Promise.resolve(Response.json([spans])) : window.realFetch(address, ...more);
    });
    await page.until(() => [...document.querySelectorAll("#traces summary")].some(node => node.querySelector(".route").textContent === "request"));
    await page.click("#traces summary", "request");
    await page.until(() => document.querySelectorAll("#traces details[open] .span").length === 6);
    const rows = await page.evaluate(() => {
      window.fetch = window.realFetch;
      return [...document.querySelectorAll("#traces details[open] .span > :first-child")].map(name => `${name.textContent} ${name.style.paddingLeft}`);
    });
    assert.deepStrictEqual(rows, ["request 0rem", "load 1rem", "render 1rem", "draw 2rem", "ink 3rem", "lost 1rem"]);
  },

  async "stops a request"(page) {
    const waiting = ask("/wait/3600000");
    // Not by the mouse: rows move while other requests come and go.
    await page.until(() => {
      const row = [...document.querySelectorAll("#flights tbody tr")].find(row => row.textContent.includes("/wait/3600000") && row.textContent.includes("timer"));
      row?.querySelector("button[aria-label='Cancel GET /wait/{ms}']").click();
      return row;
    });
    assert.strictEqual((await waiting).status, 503);
  },

  async "changes the level of the log"(page) {
    await page.evaluate(() => {
      const select = document.querySelector("#levels select");
      select.value = "error";
      select.dispatchEvent(new Event("change"));
    });
    await page.until(() => document.querySelector("#status").textContent === "The level is changed.");
  },

  async "changes the level of a statement"(page) {
    await page.evaluate(() => {
      document.querySelector(".add input").value = "a/folder/shop.cpp:42";
      document.querySelector(".add").requestSubmit();
    });
    await page.until(() => [...document.querySelectorAll("#levels .loop")].some(row => row.textContent.includes("a/folder/shop.cpp:42") && row.querySelector("select").value === "debug"));
    await page.until(() => document.querySelector(".add input").value === "");
  },

  async "lists the next timers of the loops"(page) {
    const listed = await page.until(() => {
      document.querySelectorAll("#loops details").forEach(node => node.open = true);
      const lines = [...document.querySelectorAll("#loops li")].map(node => node.textContent);
      return lines.some(line => /^[0-9.,]+ (ms|s|µs)sleep: /.test(line)) && lines;
    });
    assert.ok(listed.length <= 40, `${listed.length}`);
    await page.until(() => /^timers: .*sleep [0-9]+/.test(document.querySelector("#loops summary").textContent));
    await page.evaluate(() => document.querySelectorAll("#loops details").forEach(node => node.open = false));
    await page.until(() => document.querySelectorAll("#loops li").length === 0);
  },

  async "keeps its nodes"(page) {
    await page.evaluate(() => window.before = document.querySelector("#routes tbody tr:has(th)"));
    const now = await text(page, "#uptime");
    await page.until(now => document.querySelector("#uptime").textContent !== now, now);
    assert.ok(await page.evaluate(() => window.before.isConnected));
  },

  async "pauses"(page) {
    await page.click("#pause");
    const now = await text(page, "#uptime");
    await new Promise(resolve => setTimeout(resolve, 1500));
    assert.strictEqual(await text(page, "#uptime"), now);
    await page.click("#pause");
    await page.until(now => document.querySelector("#uptime").textContent !== now, now);
  },

  async "is accessible, in both themes, wide and narrow"(page) {
    const axe = spawnSync(getAxe, { encoding: "utf8" });
    const script = axe.status === 0 ? fs.readFileSync(axe.stdout.trim(), "utf8") : null;
    if (!script) return console.log("  without axe-core");
    await page.send("Runtime.evaluate", { expression: script });
    for (const [theme, width] of looks) {
      await page.prefer(theme);
      await page.resize(width, 900);
      const rows = await page.evaluate(() => Map.groupBy(document.querySelectorAll(".tile"), tile => tile.offsetTop).values().map(row => row.length).toArray());
      assert.deepStrictEqual(rows, { 1920: [10], 1400: [5, 5], 1280: [5, 5], 1024: [5, 5], 768: [2, 2, 2, 2, 2], 390: [2, 2, 2, 2, 2] }[width], "no row of tiles has a few");
      const cut = await page.evaluate(() => [...document.querySelectorAll(".number")].flatMap(node => {
        const longest = node.cloneNode();
        longest.textContent = "< 100 ms";
        node.after(longest);
        const texts = [node, longest].filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent);
        longest.remove();
        return texts;
      }));
      assert.deepStrictEqual(cut, [], `${width}`);
      const faults = await page.evaluate(async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(node => node.html).join(" | ")}`));
      assert.deepStrictEqual(faults, [], `${theme}, ${width}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is cut off");
    }
    await page.resize(1400, 900);
  },

  async "is one small response with a strict policy"() {
    const { headers, content } = await ask("/-/");
    assert.ok(content.length < 100_000, `${content.length} bytes`);
    assert.match(headers["content-security-policy"], /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
    console.log(`  ${content.length} bytes`);
  },

  async "is not for other hosts and sites"() {
    assert.strictEqual((await ask("/-/", { headers: { host: "evil.example" } })).status, 421);
    const json = { "content-type": "application/json", "sec-fetch-site": "cross-site" };
    assert.strictEqual((await ask("/-/cancel", { method: "POST", headers: json, body: '{"loop":0,"number":1}' })).status, 403);
  },
};

async function photograph(page) {
  for (const [theme, width] of looks) {
    await page.prefer(theme);
    await page.resize(width, 900);
    await page.evaluate(() => document.querySelectorAll("#loops details").forEach((node, index) => node.open = index === 0));
    await page.evaluate(() => document.querySelectorAll("#traces details").forEach((node, index) => node.open = index === 0));
    await page.evaluate(() => dispatchEvent(new Event("resize")));
    await new Promise(resolve => setTimeout(resolve, 300));
    await page.picture(path.join(pictures, `dashboard-${theme}-${width}.png`), true);
  }
}

async function main() {
  const chromium = findBrowser();
  if (!chromium) {
    console.log("skipped: there is no Chromium");
    process.exit(77);
  }
  const server = spawn(program, ["--port", "0", "--threads", "2"], { stdio: ["ignore", "ignore", "pipe"] });
  let failed = 0;
  try {
    const [line] = await once(server.stderr, "data");
    origin = /serving (http:\/\/)?([\d.:]+)/.exec(line)[2];
    origin = `http://${origin}`;
    server.stderr.resume();
    load();
    browser = await launch(chromium);
    const page = await browser.page(origin);
    await page.resize(1400, 900);
    await page.open("/-/");
    for (const [name, run] of Object.entries(tests)) {
      try {
        await run(page);
        console.log(`passed: ${name}`);
      } catch (error) {
        ++failed;
        console.log(`FAILED: ${name}\n${error.stack}`);
      }
    }
    assert.deepStrictEqual(page.problems, []);
    if (pictures) {
      await new Promise(resolve => setTimeout(resolve, 45_000));
      await photograph(page);
    }
    await browser.close();
  } finally {
    ends = true;
    server.kill("SIGKILL");
  }
  process.exit(failed ? 1 : 0);
}

main().catch(error => {
  console.log(error.stack);
  process.exit(1);
});
