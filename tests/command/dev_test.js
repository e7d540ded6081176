// tern dev in a browser: dev_test.js TERN DEV_PROGRAM. A project whose build is quick: it copies a file, and fails like a
// compiler if that is "broken". Skipped (77) without Chromium.
const assert = require("assert");
const { spawn } = require("child_process");
const { once } = require("events");
const fs = require("fs");
const http = require("http");
const os = require("os");
const path = require("path");
const { findBrowser, launch } = require("../browser/browser.js");

const [, , tern, program] = process.argv;

function writeProject(folder) {
  const file = (name, text, mode = 0o644) => fs.writeFileSync(path.join(folder, name), text, { mode });
  file("CMakeLists.txt", `cmake_minimum_required(VERSION 3.25)
project(shop LANGUAGES NONE)
add_custom_target(shop-program ALL COMMAND sh "\${CMAKE_SOURCE_DIR}/build.sh" "\${CMAKE_SOURCE_DIR}/page.html" VERBATIM)
`);
  file("build.sh", `if grep -q broken "$1"; then echo "page.html:1:1: error: '<p>' is broken" >&2; exit 1; fi
cp "$1" text
printf '#!/bin/sh\\nexec "%s" "%s"\\n' "${program}" "$PWD/text" >shop
chmod +x shop
`);
}

// Requests on connections of their own, until the result is called. It returns what was not a 200.
function keepAsking(address) {
  let goesOn = true;
  const faults = [];
  let count = 0;
  const ask = async () => {
    while (goesOn) {
      await new Promise(resolve => {
        http.get(address, { agent: false }, response => {
          if (response.statusCode !== 200) faults.push(response.statusCode);
          response.resume().on("end", resolve).on("error", error => { faults.push(error.message); resolve(); });
        }).on("error", error => { faults.push(error.message); resolve(); });
      });
      ++count;
    }
  };
  const done = ask();
  return async () => {
    goesOn = false;
    await done;
    assert.ok(count > 0);
    return faults;
  };
}

async function main() {
  const chromium = findBrowser();
  if (!chromium) {
    console.log("skipped: there is no Chromium");
    process.exit(77);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tern-dev-"));
  const page = text => fs.writeFileSync(path.join(folder, "page.html"), text);
  writeProject(folder);
  page("one");
  const dev = spawn(tern, ["dev", "--source", folder, "--build", path.join(folder, "build"), "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [dev.stdout, dev.stderr]) stream.on("data", data => { output += data; });
  const ended = once(dev, "exit");
  let browser;
  try {
    while (!/http:\/\/\S+\//.test(output)) await once(dev.stdout, "data");
    const [address] = /http:\/\/\S+\//.exec(output);
    browser = await launch(chromium);
    const tab = await browser.page(address.slice(0, -1));
    const heading = text => tab.until(text => document.querySelector("h1")?.textContent === text, text);

    await tab.open("/");  // perhaps still of the first build
    await heading("one");
    await tab.evaluate(() => { window.isTheSame = true; });

    const stop = keepAsking(address);
    page("two");
    await heading("two");
    assert.strictEqual(await tab.evaluate(() => window.isTheSame === true), false, "the page was not loaded again");
    assert.deepStrictEqual(await stop(), [], "requests failed while the program was started anew");

    page("broken");
    await heading("The build failed");
    assert.match(await tab.evaluate(() => document.querySelector(".errors").textContent), /^page\.html:1:1: error: '<p>' is broken\n$/);
    assert.match(output, /page\.html:1:1: error: '<p>' is broken[^]*tern dev: the build failed/);

    page("exit");
    await heading("The program has ended with exit status 3");
    page("three");
    await heading("three");
    assert.deepStrictEqual(tab.problems.filter(problem => /exception|refused to/i.test(problem)), []);
    await browser.close();
    browser = undefined;

    dev.kill("SIGTERM");
    const [status] = await ended;
    assert.strictEqual(status, 0);
    await assert.rejects(new Promise((resolve, reject) => http.get(address, resolve).on("error", reject)), /ECONNREFUSED/);
    console.log("tern dev: as expected");
  } catch (error) {
    console.log(output);
    throw error;
  } finally {
    if (browser) await browser.close();
    dev.kill("SIGKILL");
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main().catch(error => {
  console.log(error.stack);
  process.exit(1);
});
