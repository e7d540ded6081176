// The guestbook in headless Chromium, as its visitors use it, with its state in memory and in SQLite:
// guestbook_test.js PROGRAM SCRIPT_AXE [PICTURES]. Skipped (77) without Chromium. With a folder PICTURES, the pages are
// photographed there.
const assert = require("assert");
const { spawn, spawnSync } = require("child_process");
const { once } = require("events");
const fs = require("fs");
const http = require("http");
const os = require("os");
const path = require("path");
const { findBrowser, launch } = require("../browser/browser.js");

const [, , program, getAxe, pictures] = process.argv;
const skipped = 77;
const password = "correct horse battery";

// A PNG of one pixel.
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const text = page => page.evaluate(() => document.body.innerText);

async function submit(page, fields, button) {
  for (const [name, value] of Object.entries(fields)) await page.enter(`[name=${name}]`, value);
  await page.evaluate(() => { window.isOld = true; });
  await page.click("main button, .viewer button", button);
  await page.until(() => window.isOld === undefined && document.readyState === "complete");
}

async function signUp(page, name) {
  await page.open("/sign-up");
  await submit(page, { name, password }, "Sign up");
}

const steps = {
  async "sign up shows its errors beside the fields and keeps the name"({ page }) {
    await page.open("/sign-up");
    await submit(page, { name: "a b", password: "short" }, "Sign up");
    assert.strictEqual(await page.evaluate(() => document.querySelector("#name").value), "a b");
    assert.strictEqual(await page.evaluate(() => document.querySelector("#password").value), "");
    assert.deepStrictEqual(await page.evaluate(() => ["name", "password"].map(id => Boolean(document.querySelector(`#${id}-error`)))), [true, true]);
    await page.photograph("sign-up");
  },
  async "the first account is a moderator, and greeted once"({ page }) {
    await signUp(page, "Ada");
    assert.match(await text(page), /Welcome to the hut, Ada\./);
    await page.open("/");
    assert.doesNotMatch(await text(page), /Welcome/);
    assert.match(await text(page), /Signed in as Ada/);
  },
  async "a name is taken once, in any case"({ other }) {
    await signUp(other, "ADA");
    assert.match(await text(other), /is taken/);
    await signUp(other, "Ben");
    assert.match(await text(other), /Welcome to the hut, Ben\./);
  },
  async "an entry with a picture, escaped"({ other, folder }) {
    fs.writeFileSync(path.join(folder, "summit.png"), png);
    await other.open("/");
    await other.chooseFiles("[name=picture]", [path.join(folder, "summit.png")]);
    await submit(other, { message: "Over the <b>ridge</b> & down" }, "Sign the book");
    assert.match(await text(other), /Thank you\. Safe travels\.[^]*Over the <b>ridge<\/b> & down/);
    await other.until(() => document.querySelector(".entry img").naturalWidth === 1);
    await other.photograph("entry");
  },
  async "what is no picture is refused with a page"({ other, folder }) {
    fs.writeFileSync(path.join(folder, "page.png"), "<script>alert(1)</script>");
    await other.open("/");
    await other.chooseFiles("[name=picture]", [path.join(folder, "page.png")]);
    await submit(other, { message: "A trap" }, "Sign the book");
    assert.match(await text(other), /The picture is not a PNG, JPEG, GIF or WebP/);
    await other.open("/");
    assert.doesNotMatch(await text(other), /A trap/);
  },
  async "only a moderator removes entries"({ page, other }) {
    assert.strictEqual(await other.evaluate(() => document.querySelectorAll("form[action$=remove]").length), 0);
    const status = await other.evaluate(async () => {
      const body = new URLSearchParams({ csrf_token: document.querySelector("[name=csrf_token]").value });
      return (await fetch("/entries/1/remove", { method: "POST", body })).status;
    });
    assert.strictEqual(status, 403);
    other.problems.length = 0;  // the console has the 403
    await page.open("/");
    await page.until(() => document.querySelector(".entry img").naturalWidth === 1);  // it moves the button
    await submit(page, {}, "Remove");
    assert.match(await text(page), /The entry was removed\.[^]*The book is empty/);
  },
  // Another port is another origin, to which browsers send the same cookies.
  async "a form of another origin is refused"({ other, origin }) {
    const evil = http.createServer((request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<form method=post action="${origin}/sign-out"></form><script>document.forms[0].submit()</script>`);
    });
    await once(evil.listen(0, "127.0.0.1"), "listening");
    await other.send("Page.navigate", { url: `http://127.0.0.1:${evil.address().port}/` });
    await other.until(origin => location.origin === origin && /Forbidden/.test(document.body?.innerText), origin);
    evil.close();
    await other.open("/");
    assert.match(await text(other), /Signed in as Ben/);
    other.problems.length = 0;  // the request to the other origin, and the 403
  },
  async "sign out and in again, with a message for a wrong password"({ page }) {
    await page.open("/");
    await submit(page, {}, "Sign out");
    assert.match(await text(page), /Sign in/);
    await page.open("/sign-in");
    await submit(page, { name: "Ada", password: "wrong password" }, "Sign in");
    assert.match(await text(page), /The name or the password is wrong\./);
    await page.photograph("sign-in");
    await submit(page, { name: "ada", password }, "Sign in");
    assert.match(await text(page), /Welcome back, Ada\./);
  },
  async "guessing is limited"({ other }) {
    await other.open("/sign-in");
    const statuses = await other.evaluate(async () => {
      const statuses = [];
      for (let i = 0; i < 6; ++i) {
        const body = new URLSearchParams({ name: "Ada", password: `guess ${i}` });
        statuses.push((await fetch("/sign-in", { method: "POST", body })).status);
      }
      return statuses;
    });
    assert.strictEqual(statuses.at(-1), 429);
    other.problems.length = 0;  // the console has the 422 and the 429
  },
  async "a restart keeps accounts, entries and sessions in a database, and ends them in memory"({ other, folder, database, restart }) {
    await other.open("/");
    await other.chooseFiles("[name=picture]", [path.join(folder, "summit.png")]);
    await submit(other, { message: "Before the restart" }, "Sign the book");
    await restart();
    await other.open("/");
    if (database) {
      assert.match(await text(other), /Signed in as Ben[^]*Before the restart/);
      await other.until(() => document.querySelector(".entry img").naturalWidth === 1);
      await submit(other, { message: "After the restart" }, "Sign the book");
      assert.match(await text(other), /Thank you[^]*After the restart[^]*Before the restart/);
      await other.photograph("restarted");
    } else {
      assert.doesNotMatch(await text(other), /Signed in|Before the restart/);
      await signUp(other, "Ben");
    }
    await submit(other, {}, "Sign out");
    await other.open("/sign-in");
    await submit(other, { name: "BEN", password }, "Sign in");
    assert.match(await text(other), /Welcome back, Ben\./);
  },
  async "axe finds nothing"({ page, axe }) {
    if (!axe) return;
    const found = [];
    for (const address of ["/", "/sign-in"]) {
      await page.open(address);
      await page.send("Runtime.evaluate", { expression: axe });
      for (const scheme of ["light", "dark"]) {
        await page.prefer(scheme);
        found.push(...await page.evaluate(async () => (await axe.run()).violations.map(({ id, help }) => `${id}: ${help}`)));
      }
    }
    assert.deepStrictEqual(found, []);
  },
};

// A server on a port, which is kept over restarts.
class Server {
  constructor(flags) {
    Object.assign(this, { flags, port: 0, log: "" });
  }

  async start() {
    this.process = spawn(program, ["--port", String(this.port), "--threads", "2", ...this.flags], { stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    for await (const data of this.process.stderr.iterator({ destroyOnReturn: false })) {
      log += data;
      if (/serving /.test(log)) break;
    }
    this.process.stderr.on("data", data => { this.log += data; });
    this.log += log;
    const serving = /serving 127\.0\.0\.1:(\d+)/.exec(log);
    if (!serving) throw new Error(`the server did not start: ${log}`);
    this.port = Number(serving[1]);
  }

  async stop() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    assert.deepStrictEqual(await ended, [0, null]);
  }
}

function photographer(page, name) {
  return async view => {
    if (!pictures) return;
    for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 390]]) {
      await page.prefer(scheme);
      await page.resize(width, 900);
      await page.picture(path.join(pictures, `${name}-${view}-${scheme}-${width}.png`), true);
    }
    await page.prefer("light");
    await page.resize(1280, 900);
  };
}

// The number of failed steps.
async function run(name, chromium, axe, folder) {
  const database = name === "database";
  const server = new Server(database ? ["--database", path.join(folder, "guestbook.db")] : []);
  await server.start();
  const restart = async () => {
    await server.stop();
    await server.start();
  };
  const browser = await launch(chromium);
  let failed = 0;
  try {
    const origin = `http://127.0.0.1:${server.port}`;
    const page = await browser.page(origin);
    const other = await browser.page(origin, { isApart: true });
    for (const each of [page, other]) each.photograph = photographer(each, name);
    for (const [step, act] of Object.entries(steps)) {
      try {
        await act({ page, other, origin, folder, axe, database, restart });
        assert.deepStrictEqual([...page.problems, ...other.problems].filter(problem => !/status of 4\d\d/.test(problem)), []);
        console.log(`passed (${name}): ${step}`);
      } catch (error) {
        ++failed;
        console.log(`FAILED (${name}): ${step}\n${error.stack}`);
      }
    }
    await browser.close();
    await server.stop();
  } finally {
    server.process.kill("SIGKILL");
  }
  if (failed) console.log(server.log);
  return failed;
}

async function main() {
  const chromium = findBrowser();
  if (!chromium) {
    console.log("skipped: there is no Chromium");
    process.exit(skipped);
  }
  const axeScript = spawnSync(getAxe, { encoding: "utf8" });
  const axe = axeScript.status === 0 ? fs.readFileSync(axeScript.stdout.trim(), "utf8") : null;
  if (!axe) console.log("without axe-core, which cannot be fetched");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tern-guestbook-"));
  let failed = 0;
  try {
    for (const name of ["memory", "database"]) failed += await run(name, chromium, axe, folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  process.exit(failed ? 1 : 0);
}

main().catch(error => {
  console.log(error.stack);
  process.exit(1);
});
