// The documentation page in headless Chromium: docs_page_test.js SERVER CURL [PICTURES]. Skipped (77) without Chromium.
// With a folder PICTURES, the page is photographed there.
const assert = require("assert");
const { execFileSync, spawn } = require("child_process");
const { once } = require("events");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { findBrowser, launch } = require("../browser/browser.js");

const [, , program, curl, pictures] = process.argv;
const skipped = 77;
let browser, origin, folder;

// Of the operation with this id, the selector of what is in it.
const inside = (id, selector = "") => `article:has(a[href="#${encodeURIComponent(id)}"]) ${selector}`;

async function docs(address = "/docs") {
  const page = await browser.page(origin);
  await page.open(address);
  return page;
}

// Nothing that the page did was an error, except those that `expected` matches.
function assertNoProblems(page, expected = /^$/) {
  assert.deepStrictEqual(page.problems.filter(problem => !expected.test(problem)), []);
}

const openOperation = (page, id) => page.open(`/docs#${encodeURIComponent(id)}`);

// Sends the request of an operation; the text of the answer's content.
async function sent(page, id) {
  await page.click(inside(id, ".try form .primary"));
  await page.until(selector => document.querySelector(selector)?.textContent === "Send", inside(id, ".try form .primary"));
  return page.until(selector => document.querySelector(selector)?.textContent, inside(id, ".answer"));
}

const contentOf = (page, id) => page.evaluate(selector => document.querySelector(selector).textContent, inside(id, ".answer pre"));
const curlOf = (page, id) => page.evaluate(selector => document.querySelector(selector).textContent, inside(id, "pre.curl"));

// What the server answered to a line for curl, run by a shell in the folder with the files.
const curled = line => execFileSync("bash", ["-c", line.replace(/^curl/, `'${curl}' --silent --show-error`)], { cwd: folder, encoding: "utf8" });

// Sends an operation's request from the page and by its line for curl: both must reach the server equal.
async function sentTwice(page, id) {
  await sent(page, id);
  const fromPage = JSON.parse(await contentOf(page, id));
  const fromCurl = JSON.parse(curled(await curlOf(page, id)));
  fromPage.content_type = fromPage.content_type.replace(/; $/, "");
  fromCurl.content_type = fromCurl.content_type.replace(/; $/, "");
  assert.deepStrictEqual(fromCurl, fromPage);
  return fromPage;
}

const tests = {
  async "shows operations by tag, and text of the document only as text"() {
    const page = await docs();
    assert.deepStrictEqual(await page.evaluate(() => [...document.querySelectorAll("main h2")].map(node => node.textContent)),
      ["Books", "Files & streams", "Operations", "<script>window.hacked=1</script>", "Schemas"]);
    for (const toggle of [".operation-head", ".schema-head", ".type", ".response", ".more"]) {
      await page.evaluate(toggle => document.querySelectorAll(`button${toggle}[aria-expanded=false]`).forEach(node => node.click()), toggle);
    }
    const { addresses, hacked, images } = await page.evaluate(() => ({
      addresses: [...document.links].map(link => link.href), hacked: window.hacked, images: document.querySelectorAll("img, main script").length }));
    assert.ok(addresses.some(address => address === "https://example.com/a?b=1"));
    assert.ok(addresses.some(address => address === "https://example.org/bare"));
    assert.deepStrictEqual(addresses.filter(address => !/^(https?|mailto):/.test(address)), []);
    assert.deepStrictEqual([hacked, images], [undefined, 0]);
    assertNoProblems(page);
  },

  async "searches at each key, by keyboard"() {
    const page = await docs();
    await page.press("/");
    await page.type("book del");
    await page.until(() => document.querySelectorAll("nav li:not([hidden])").length === 1);
    assert.deepStrictEqual(await page.evaluate(() => [...document.querySelectorAll(".operation-head")].filter(node => node.checkVisibility()).map(node => node.textContent)),
      ["DELETE/echo/books/{id}Deletes a bookdeprecatedauthorized"]);
    assert.strictEqual(await page.evaluate(() => document.querySelector("#status").textContent), "1 of 18 operations");
    await page.press("Enter");
    assert.deepStrictEqual(await page.evaluate(() => [location.hash, document.activeElement.getAttribute("aria-expanded")]), ["#deleteBook", "true"]);
    await page.press("/");
    await page.press("Escape");
    assert.strictEqual(await page.evaluate(() => document.querySelectorAll("nav li:not([hidden])").length), 18);
    await page.type("no such thing");
    assert.ok(await page.evaluate(() => document.querySelector("#nothing").checkVisibility()));
    assertNoProblems(page);
  },

  async "renders an operation when it unfolds, and a recursive schema level by level"() {
    const page = await docs();
    assert.strictEqual(await page.evaluate(() => document.querySelectorAll(".operation-body > *").length), 0);
    await page.click(".operation-head", "Adds a book");
    const content = inside("addBook", ".docs .media");
    for (const [label, count] of [["author: ", 1], ["books: ", 1], ["author: ", 2], ["books: ", 2], ["translations: ", 1], ["colours: ", 1]]) {
      await page.evaluate((content, label) => [...document.querySelectorAll(`${content} button[aria-expanded=false]`)].find(node => node.ariaLabel?.startsWith(label)).click(), content, label);
      assert.strictEqual(await page.evaluate((content, label) => [...document.querySelectorAll(`${content} button[aria-expanded=true]`)].filter(node => node.ariaLabel?.startsWith(label)).length, content, label), count);
    }
    const text = await page.evaluate(content => document.querySelector(content).textContent, content);
    for (const part of ["1 to 200 characters", "1450 to 2100", "more than 0", "multiple of 0.25", "string or null", "Author or null", "read only", "write only", "array of string",
      "at most 5 items", "unique items", "no other members", "One of \"novel\"", "default \"novel\"", "any other name", "As on the cover.", "-9223372036854775808 to 9223372036854775807"]) {
      assert.ok(text.includes(part), part);
    }
    assertNoProblems(page);
  },

  async "shows the alternatives of a discriminator, and fills in the first"() {
    const page = await docs("/docs#pay");
    assert.deepStrictEqual(JSON.parse(await page.evaluate(selector => document.querySelector(selector).value, inside("pay", "textarea"))), { kind: "card", number: "0".repeat(16) });
    await page.click(inside("pay", ".choices button"), "kind: transfer");
    assert.ok(await page.evaluate(selector => document.querySelector(selector).textContent.includes("iban"), inside("pay", ".media")));
    assertNoProblems(page);
  },

  async "makes an example that obeys the schema"() {
    const page = await docs("/docs#addBook");
    const book = JSON.parse(await page.evaluate(selector => document.querySelector(selector).value, inside("addBook", "textarea")));
    assert.deepStrictEqual(Object.keys(book), ["title", "year", "isbn", "price", "subtitle", "author", "kind", "tags", "translations", "location", "published", "secret", "payment", "colours"]);
    assert.match(book.isbn, /^(?:97[89]-)?\d{1,5}-[0-9X]{2}$/);
    assert.deepStrictEqual([book.title, book.year, book.price, book.kind, book.tags, book.location], ["Terns", 1450, 0.25, "novel", ["text"], [0.5, 0.5]]);
    assert.deepStrictEqual([book.author.books, book.colours], [[], { red: 1 }]);
    assertNoProblems(page);
  },

  async "sends parameters in all styles, as curl does"() {
    const page = await docs("/docs#getBook");
    const fields = { fields: "title\nyear & more", piped: "a\nb", filter: "{\"color\": \"red\", \"size\": 1}", path: "a/b?c" };
    for (const [name, value] of Object.entries(fields)) {
      const id = await page.evaluate((form, name) => [...document.querySelectorAll(`${form} label`)].find(node => node.textContent === name).htmlFor, inside("getBook", ".try form"), name);
      await page.enter(`#${id}`, value);
    }
    const echo = await sentTwice(page, "getBook");
    assert.strictEqual(echo.target, "/echo/books/9007199254740993?fields=title&fields=year%20%26%20more&ids=3,4&piped=a%7Cb&filter%5Bcolor%5D=red&filter%5Bsize%5D=1&path=a/b?c");
    assert.strictEqual(echo.fields["x-trace"], "AAA-00");
    assert.strictEqual(echo.fields.accept, "application/json, application/problem+json");
    assertNoProblems(page);
  },

  async "sends JSON, forms, parts and files, as curl does"() {
    const page = await docs();
    await openOperation(page, "addBook");
    assert.strictEqual((await sentTwice(page, "addBook")).content_type, "application/json");
    await openOperation(page, "replaceBook");
    assert.match((await sentTwice(page, "replaceBook")).content, /It's \\"quoted\\" & \$HOME `x` \\\\ é/);
    await openOperation(page, "sendForm");
    assert.strictEqual((await sentTwice(page, "sendForm")).content, "name=Ann%20%26%20Bob%2B%C3%A9&tags=a%20b&tags=c%3Dd");
    await openOperation(page, "sendParts");
    const parts = (await sentTwice(page, "sendParts")).content;
    assert.ok(parts.includes("a;type=b \"quoted\" 'single' @x") && parts.includes("x;y,\\\"z\\\"\\\\"), parts);
    await openOperation(page, "sendRaw");
    await page.chooseFiles(inside("sendRaw", "input[type=file]"), [path.join(folder, "it's a file.bin")]);
    await page.until(selector => document.querySelector(selector).textContent.includes("file.bin"), inside("sendRaw", "pre.curl"));
    assert.strictEqual((await sentTwice(page, "sendRaw")).content, "\u0001binary\n");
    assertNoProblems(page);
  },

  async "asks for the representation that is chosen, as curl does"() {
    const page = await docs("/docs#report");
    const select = inside("report", ".try form select");
    assert.deepStrictEqual(await page.evaluate(select => [...document.querySelector(select).options].map(option => option.text), select), ["application/json", "text/csv", "text/event-stream"]);
    assert.strictEqual((await sentTwice(page, "report")).fields.accept, "application/json, application/problem+json");
    assert.doesNotMatch(await curlOf(page, "report"), /--no-buffer/);
    for (const type of ["text/csv", "text/event-stream"]) {
      await page.choose(select, type);
      assert.strictEqual((await sentTwice(page, "report")).fields.accept, `${type}, application/problem+json`);
    }
    assert.match(await curlOf(page, "report"), /--no-buffer/);
    await openOperation(page, "getBook");
    assert.ok(!await page.evaluate(selector => document.querySelector(selector).textContent.includes("Answer as"), inside("getBook", ".try")));
    assertNoProblems(page);
  },

  async "quotes hostile names and values for the shell"() {
    const id = "\"><img src=x onerror=window.hacked=1>";
    const page = await docs(`/docs#${encodeURIComponent(id)}`);
    const echo = await sentTwice(page, id);
    assert.strictEqual(echo.target, "/echo/hostile/%27%3B%20echo%20hacked%3B%20%27?%27%3B%20touch%20hacked%3B%20%27=%24%28touch%20hacked%29%60touch%20hacked%60%5C%27%21%21");
    assert.ok(!fs.existsSync(path.join(folder, "hacked")));
    assertNoProblems(page);
  },

  async "does not let names make curl read files"() {
    const page = await docs("/docs#hostileParts");
    assert.doesNotMatch(await curlOf(page, "hostileParts"), /--header '?@/);
    const inputs = await page.evaluate(form => [...document.querySelectorAll(`${form} input`)].map(input => input.id), inside("hostileParts", ".try form"));
    await page.enter(`#${inputs.at(-1)}`, "text");
    assert.match(await curlOf(page, "hostileParts"), /^# curl takes no equals sign/);
    assertNoProblems(page);
  },

  async "sends the credentials that an operation asks for, and no others"() {
    const page = await docs();
    await page.click("#authorize");
    for (const [index, value] of [[0, "tok'en"], [1, "ann"], [2, "pass:word"], [3, "k1"], [4, "k&2"]]) {
      await page.evaluate(index => document.querySelectorAll("dialog input")[index].focus(), index);
      await page.type(value);
    }
    await page.press("Enter");
    await page.until(() => !document.querySelector("dialog").open);
    const open = async summary => page.click(".operation-head", summary);
    await open("Adds a book");
    const added = await sentTwice(page, "addBook");
    assert.deepStrictEqual([added.fields.authorization, added.fields["x-key"]], ["Bearer tok'en", undefined]);
    await open("Replaces a book");
    assert.strictEqual((await sentTwice(page, "replaceBook")).fields.authorization, `Basic ${Buffer.from("ann:pass:word").toString("base64")}`);
    await open("Deletes a book");
    const deleted = await sentTwice(page, "deleteBook");
    assert.deepStrictEqual([deleted.fields["x-key"], deleted.target.includes("key=")], ["k1", false]);
    assertNoProblems(page);
  },

  async "shows an answer with status, fields and exact numbers"() {
    const page = await docs("/docs#problem");
    const answer = await sent(page, "problem");
    assert.match(answer, /422 Unprocessable Content/);
    assert.match(answer, /\d+ ms · \d+ B/);
    assert.match(answer, /A problem \(RFC 9457\)/);
    assert.match(await contentOf(page, "problem"), /\n  "id": 9007199254740993\n}$/);
    await page.click(inside("problem", ".answer button"), "Fields");
    assert.ok(await page.evaluate(selector => document.querySelector(selector).textContent.includes("application/problem+json"), inside("problem", ".headers")));
    assertNoProblems(page, /422/);
  },

  async "uploads files"() {
    const page = await docs("/docs#upload");
    await page.chooseFiles(inside("upload", "input[type=file]"), [path.join(folder, "a.txt"), path.join(folder, "it's a file.bin")]);
    await sent(page, "upload");
    const receipt = JSON.parse(await contentOf(page, "upload"));
    assert.deepStrictEqual(receipt.files.map(({ name, size }) => [name, size]), [["a.txt", 5], ["it's a file.bin", 8]]);
    assert.deepStrictEqual(JSON.parse(curled(await curlOf(page, "upload"))).files.map(({ name, size }) => [name, size]), [["a.txt", 5], ["it's a file.bin", 8]]);
    assertNoProblems(page);
  },

  async "shows an event stream live, until it is stopped"() {
    const page = await docs("/docs#watch");
    await page.click(inside("watch", ".try form .primary"));
    await page.until(selector => document.querySelectorAll(selector).length >= 5, inside("watch", ".events li"));
    assert.match(await page.evaluate(selector => document.querySelector(selector).textContent, inside("watch", ".events li")), /count id 1\{\n {2}"count": 1,\n {2}"text": "<b>1<\/b>"\n\}/);
    await page.click(inside("watch", ".try form .primary"), "Stop");
    await page.until(selector => document.querySelector(selector).textContent.includes("Stopped."), inside("watch", ".answer"));
    const count = await page.evaluate(selector => document.querySelectorAll(selector).length, inside("watch", ".events li"));
    await page.until(selector => document.querySelector(selector).textContent === "Send", inside("watch", ".try form .primary"));
    assert.strictEqual(await page.evaluate(selector => document.querySelectorAll(selector).length, inside("watch", ".events li")), count);
    assert.match(await curlOf(page, "watch"), /--no-buffer/);
    assertNoProblems(page);
  },

  async "offers downloads, shows images, and bounds long text"() {
    const page = await docs("/docs#download");
    await sent(page, "download");
    assert.deepStrictEqual(await page.evaluate(selector => {
      const link = document.querySelector(selector);
      return [link.download, link.protocol];
    }, inside("download", ".answer a")), ["data.bin", "blob:"]);
    assert.strictEqual(await page.evaluate(async selector => (await (await fetch(document.querySelector(selector).href).catch(() => new Response("blocked"))).text()), inside("download", ".answer a")), "blocked");
    page.problems.length = 0;  // of the line above: the policy lets the page fetch from its own origin only
    await openOperation(page, "picture");
    await sent(page, "picture");
    await page.until(selector => document.querySelector(selector).naturalWidth === 1, inside("picture", ".answer img"));
    await openOperation(page, "long");
    assert.match(await sent(page, "long"), /The first 200,000 of 3,000,000 characters/);
    assertNoProblems(page);
  },

  async "says what is wrong with a document that cannot be read"() {
    const page = await docs("/broken");
    assert.match(await page.evaluate(() => document.querySelector("[role=alert]").textContent), /nothing\.json could not be shown: the server answered 404/);
  },

  async "has a theme that follows the system, or the switch"() {
    const page = await docs();
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.prefer("dark");
    const dark = await ground();
    assert.notStrictEqual(light, dark);
    await page.click("#theme");
    assert.strictEqual(await ground(), light);
    await page.click("#theme");
    assert.strictEqual(await ground(), dark);
    await page.open("/docs");
    assert.strictEqual(await page.evaluate(() => document.documentElement.dataset.theme), "Dark");
    await page.click("#theme");
    assertNoProblems(page);
  },

  async "fits a telephone"() {
    const page = await docs();
    await page.resize(360, 740);
    await page.evaluate(() => document.querySelectorAll("main button[aria-expanded=false]").forEach(node => node.click()));
    assert.deepStrictEqual(await page.evaluate(() => [...document.querySelectorAll("body *")].filter(node => node.checkVisibility() && node.getBoundingClientRect().right > 361 && !node.closest("pre")).map(node => node.outerHTML.slice(0, 200))), []);
    assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    assert.ok(!await page.evaluate(() => document.querySelector("nav").checkVisibility()));
    await page.click("#menu");
    await page.click("nav a", "Uploads files");
    await page.until(() => location.hash === "#upload" && !document.querySelector("nav").checkVisibility());
    assertNoProblems(page);
  },

  async "is ready at once with 300 operations"() {
    const page = await docs("/large");
    const { ready, downloaded } = await page.evaluate(() => ({ ready: performance.getEntriesByName("ready")[0].startTime, downloaded: performance.getEntriesByType("resource").find(entry => entry.name.endsWith("large.json")).responseEnd }));
    const [searching, unfolding] = await page.evaluate(() => {
      const time = act => {
        const started = performance.now();
        act();
        document.body.getBoundingClientRect();
        return performance.now() - started;
      };
      const input = document.querySelector("#search");
      return [time(() => {
        input.value = "number 29";
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }), time(() => document.querySelector("article:not([hidden]) .operation-head").click())];
    });
    console.log(`  300 operations: ready ${ready.toFixed()} ms after navigation, ${(ready - downloaded).toFixed()} ms after the document; search ${searching.toFixed(1)} ms, unfolding ${unfolding.toFixed(1)} ms`);
    assert.strictEqual(await page.evaluate(() => document.querySelectorAll("article:not([hidden]) .operation-head").length), 13);
    await page.open("/large#operation295");
    await page.until(() => {
      const { top } = document.activeElement.getBoundingClientRect();
      return document.activeElement.textContent.includes("Thing number 295") && top >= 50 && top < 300;
    });
    await page.open("/tangled#add");
    const tangled = await page.evaluate(() => document.querySelector("textarea").value);
    assert.ok(Object.keys(JSON.parse(tangled)).length > 0 && tangled.length < 200_000);
    assert.ok(ready - downloaded < 1500 && searching < 300 && unfolding < 300);  // ten times what it takes, for busy machines
    assertNoProblems(page);
  },
};

async function takePictures() {
  const page = await docs("/docs#addBook");
  await page.evaluate(() => document.querySelectorAll(".docs .response, .docs .type").forEach((node, index) => index < 3 && node.click()));
  await sent(page, "addBook");
  for (const scheme of ["light", "dark"]) {
    await page.prefer(scheme);
    for (const [name, width, height] of [["wide", 1400, 1000], ["narrow", 390, 844]]) {
      await page.resize(width, height);
      for (const [part, act] of Object.entries({ top: () => scrollTo(0, 0), operation: () => document.querySelector("[aria-expanded=true].operation-head").scrollIntoView(), try: () => document.querySelector(".answer").scrollIntoView({ block: "end" }) })) {
        await page.evaluate(act);
        await page.picture(path.join(pictures, `${part}-${name}-${scheme}.png`));
      }
    }
  }
}

async function main() {
  const chromium = findBrowser();
  if (!chromium) {
    console.log("skipped: there is no Chromium");
    process.exit(skipped);
  }
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "tern-docs-page-"));
  fs.writeFileSync(path.join(folder, "a.txt"), "text\n");
  fs.writeFileSync(path.join(folder, "it's a file.bin"), "\u0001binary\n");
  const server = spawn(program, ["--port", "0", "--threads", "2", "--documents", __dirname], { stdio: ["ignore", "ignore", "pipe"] });
  const [line] = await once(server.stderr, "data");
  origin = `http://127.0.0.1:${/serving 127\.0\.0\.1:(\d+)/.exec(line)[1]}`;
  let failed = 0;
  try {
    browser = await launch(chromium);
    if (pictures) await takePictures();
    for (const [name, test] of Object.entries(tests)) {
      try {
        await test();
        console.log(`passed: ${name}`);
      } catch (error) {
        ++failed;
        console.log(`FAILED: ${name}\n${error.stack}`);
      }
    }
    await browser.close();
  } finally {
    server.kill("SIGTERM");
    fs.rmSync(folder, { recursive: true });
  }
  const [code] = await once(server, "exit");
  assert.strictEqual(code, 0);
  process.exit(failed ? 1 : 0);
}

main();
