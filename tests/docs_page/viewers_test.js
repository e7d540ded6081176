// Swagger UI and Scalar as documentation pages, loaded from another origin: viewers_test.js SERVER SCRIPT_VIEWERS. Each shows
// the operations under the page's Content-Security-Policy. Skipped (77) without Chromium or the viewers.
const assert = require("assert");
const { spawn, spawnSync } = require("child_process");
const { once } = require("events");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { findBrowser, launch } = require("../browser/browser.js");

const [, , program, getViewers] = process.argv;

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

// Serves the files of the viewers, as a CDN would.
async function serveFiles(folder) {
  const types = { ".js": "text/javascript", ".css": "text/css" };
  const server = http.createServer((request, response) => {
    const file = path.join(folder, path.normalize(request.url));
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[path.extname(file)] }).end(fs.readFileSync(file));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

const tests = {
  async "Swagger UI shows the operations, and sends a request"(page, viewers) {
    await page.open("/swagger");
    await page.until(() => document.body.innerText.includes("Thing number 1"));
    await page.click("#operations-Group_0-operation0 .opblock-summary-control");
    await page.click("#operations-Group_0-operation0 .try-out__btn");
    await page.enter("#operations-Group_0-operation0 input", "7");
    await page.click("#operations-Group_0-operation0 .execute");
    await page.until(() => /\b404\b/.test(document.querySelector("#operations-Group_0-operation0 .live-responses-table")?.textContent));
    return page.problems.filter(problem => !problem.startsWith(`requested ${viewers}/swagger-ui/`) && !/404/.test(problem));
  },

  async "Scalar shows the operations"(page, viewers) {
    await page.open("/scalar");
    await page.until(() => document.body.innerText.includes("Thing number 0"));
    // What its own site would serve is blocked.
    return page.problems.filter(problem => problem !== `requested ${viewers}/scalar.js` && !/scalar\.com/.test(problem));
  },
};

async function main() {
  const chromium = findBrowser();
  if (!chromium) skip("there is no Chromium");
  const found = spawnSync(getViewers, { encoding: "utf8" });
  if (found.status !== 0) skip(found.stderr.trim() || "the viewers cannot be fetched");
  const files = await serveFiles(found.stdout.trim());
  const server = spawn(program, ["--port", "0", "--threads", "2", "--documents", __dirname, "--swagger-ui", `${files.origin}/swagger-ui/`,
    "--scalar", `${files.origin}/scalar.js`], { stdio: ["ignore", "ignore", "pipe"] });
  const [line] = await once(server.stderr, "data");
  const browser = await launch(chromium);
  let failed = 0;
  try {
    for (const [name, test] of Object.entries(tests)) {
      try {
        const page = await browser.page(`http://127.0.0.1:${/serving 127\.0\.0\.1:(\d+)/.exec(line)[1]}`);
        assert.deepStrictEqual(await test(page, files.origin), []);
        console.log(`passed: ${name}`);
      } catch (error) {
        ++failed;
        console.log(`FAILED: ${name}\n${error.stack}`);
      }
    }
    await browser.close();
  } finally {
    server.kill("SIGTERM");
    files.server.close();
    files.server.closeAllConnections();
  }
  process.exit(failed ? 1 : 0);
}

main().catch(error => {
  console.log(error.stack);
  process.exit(1);
});
