// The site of the documentation in headless Chromium: site_test.js SITE [PICTURES]. Skipped (77) without Chromium. It searches,
// follows what it finds, and must not send a request to another host. With a folder PICTURES, pages are photographed there.
const assert = require("assert");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { findBrowser, launch } = require("../browser/browser.js");

const [, , site, pictures] = process.argv;
const skipped = 77;
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml" };

function serve(folder) {
  const server = http.createServer((request, response) => {
    const file = path.join(folder, decodeURIComponent(new URL(request.url, "http://site").pathname));
    const found = file.startsWith(folder) && fs.existsSync(file) && fs.statSync(file).isFile();
    response.writeHead(found ? 200 : 404, { "content-type": types[path.extname(file)] ?? "application/octet-stream" });
    response.end(found ? fs.readFileSync(file) : "");
  });
  return new Promise(resolve => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function search(page, address, words) {
  await page.open(address);
  await page.evaluate(() => document.querySelector("[data-md-component=search-query]").focus());
  await page.enter("[data-md-component=search-query]", words);
}

const tests = {
  async "finds pages by a word, without another host"(page) {
    for (const [word, expected] of [["drain", "running"], ["CorsOptions", "web-cors"], ["multipart", "uploads"]]) {
      await search(page, "/index.html", word);
      const found = await page.until(expected => {
        const links = [...document.querySelectorAll(".md-search-result__link")].map(link => link.getAttribute("href"));
        return links.some(link => link.includes(expected)) && links;
      }, expected);
      assert(found.length > 0);
    }
    assert.deepStrictEqual(page.problems, []);
  },
  async "goes to what it has found"(page) {
    await search(page, "/guide/routing.html", "pgbouncer");
    await page.until(() => document.querySelector(".md-search-result__link"));
    await page.click(".md-search-result__link");
    await page.until(() => location.pathname.endsWith("/guide/databases.html"));
    assert.deepStrictEqual(page.problems, []);
  },
  async "is as wide as its window"(page) {
    for (const width of [360, 800, 1280]) {
      await page.resize(width, 900);
      for (const address of ["/index.html", "/guide/running.html", "/api/app-app.html", "/performance.html", "/cookbook/README.html"]) {
        if (!fs.existsSync(path.join(site, address.replace("README", "index"))) && !fs.existsSync(path.join(site, address))) continue;
        await page.open(address.replace("README", "index"));
        const [scroll, client] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert(scroll <= client, `${address} is ${scroll} wide in a window of ${client}`);
      }
    }
    await page.resize(1280, 900);
    assert.deepStrictEqual(page.problems, []);
  },
};

async function takePictures(page) {
  fs.mkdirSync(pictures, { recursive: true });
  for (const [name, width] of [["wide", 1280], ["narrow", 390]]) {
    for (const scheme of ["light", "dark"]) {
      await page.resize(width, 900);
      await page.prefer(scheme);
      for (const address of process.env.PAGES?.split(",") ?? ["index", "guide/running", "api/index", "api/web-cors", "performance"]) {
        await page.open(`/${address}.html`);
        await page.picture(path.join(pictures, `${address.replaceAll("/", "-")}-${name}-${scheme}.png`));
      }
    }
  }
}

async function main() {
  const program = findBrowser();
  if (!program) {
    console.log("skipped: no Chromium");
    process.exit(skipped);
  }
  const server = await serve(path.resolve(site));
  const browser = await launch(program);
  let failed = 0;
  try {
    const page = await browser.page(`http://127.0.0.1:${server.address().port}`);
    if (pictures) await takePictures(page);
    for (const [name, run] of pictures ? [] : Object.entries(tests)) {
      page.problems.length = 0;
      await run(page).then(() => console.log(`passed: ${name}`), error => {
        ++failed;
        console.log(`FAILED: ${name}\n${error.stack}`);
      });
    }
  } finally {
    await browser.close();
    server.close();
  }
  process.exit(failed ? 1 : 0);
}

main();
