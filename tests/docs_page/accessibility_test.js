// axe-core finds nothing in the documentation page: accessibility_test.js SERVER SCRIPT_AXE. Both themes, wide and narrow, with
// everything unfolded, with an answer, with the dialog. Skipped (77) without Chromium or axe-core.
const assert = require("assert");
const { spawn, spawnSync } = require("child_process");
const { once } = require("events");
const fs = require("fs");
const { findBrowser, launch } = require("../browser/browser.js");

const [, , program, getAxe] = process.argv;

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

// Some operations with all that is in them, and some schemas.
async function unfold(page) {
  for (const summary of ["One book", "Replaces a book", "Pays", "Uploads files", "Always a problem", "Events, without"]) await page.click(".operation-head", summary);
  for (const name of ["Book", "Json", "Payment"]) await page.click(".schema-head", name);
  for (const toggle of [".response", ".more", ".type"]) {
    await page.evaluate(toggle => document.querySelectorAll(`main button${toggle}[aria-expanded=false]`).forEach((node, index) => index < 20 && node.click()), toggle);
  }
}

const states = {
  "as it opens": async () => {},
  "unfolded": unfold,
  "with answers": async page => {
    await page.click("article:has(a[href='#problem']) .try form .primary");
    await page.until(() => document.querySelector(".answer pre"));
    await page.click("article:has(a[href='#watch']) .try form .primary");
    await page.until(() => document.querySelectorAll(".events li").length > 2);
    await page.click("article:has(a[href='#watch']) .try form .primary", "Stop");
  },
  "with the dialog": page => page.click("#authorize"),
};

async function violations(page) {
  return page.evaluate(async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(node => `${node.html} ${node.failureSummary}`).join(" | ")} (${nodes.length})`);
  });
}

async function main() {
  const chromium = findBrowser();
  if (!chromium) skip("there is no Chromium");
  const axe = spawnSync(getAxe, { encoding: "utf8" });
  if (axe.status !== 0) skip(axe.stderr.trim() || "axe-core cannot be fetched");
  const server = spawn(program, ["--port", "0", "--threads", "2", "--documents", __dirname], { stdio: ["ignore", "ignore", "pipe"] });
  const [line] = await once(server.stderr, "data");
  const browser = await launch(chromium);
  const found = [];
  try {
    const page = await browser.page(`http://127.0.0.1:${/serving 127\.0\.0\.1:(\d+)/.exec(line)[1]}`);
    await page.open("/docs");
    await page.send("Runtime.evaluate", { expression: fs.readFileSync(axe.stdout.trim(), "utf8") });
    for (const [state, enter] of Object.entries(states)) {
      await enter(page);
      for (const [theme, width] of [["light", 1280], ["dark", 1280], ["light", 390], ["dark", 390]]) {
        await page.prefer(theme);
        await page.resize(width, 900);
        const faults = await violations(page);
        console.log(`${faults.length ? "FAILED" : "passed"}: ${state}, ${theme}, ${width} pixels`);
        for (const fault of faults) console.log(`  ${fault}`);
        found.push(...faults);
      }
      await page.resize(1280, 900);
    }
    await browser.close();
  } finally {
    server.kill("SIGTERM");
  }
  assert.deepStrictEqual(found, []);
}

main().catch(error => {
  console.log(error.stack);
  process.exit(1);
});
