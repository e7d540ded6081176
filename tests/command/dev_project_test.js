// The first hour with tern dev: dev_project_test.js TERN PREFIX. A new project with pages is built against the Tern that is
// installed in PREFIX, breaks as a beginner breaks it, and is mended; a browser shows each state. Skipped (77) without Chromium.
const assert = require("assert");
const { spawn, spawnSync } = require("child_process");
const { once } = require("events");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { findBrowser, launch } = require("../browser/browser.js");

const [, , tern, prefix] = process.argv;

// As page.until(), with the time that a compiler takes.
async function after(tab, call, ...values) {
  for (let round = 0; ; ++round) {
    try {
      return await tab.until(call, ...values);
    } catch (error) {
      if (round >= 12 || !/^never true/.test(error.message)) throw error;
    }
  }
}

async function main() {
  const chromium = findBrowser();
  if (!chromium) {
    console.log("skipped: there is no Chromium");
    process.exit(77);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tern-dev-project-"));
  const project = path.join(folder, "demo");
  const change = (name, from, to) => {
    const file = path.join(project, name);
    const text = fs.readFileSync(file, "utf8");
    assert.ok(text.includes(from), `${name} has no ${from}`);
    fs.writeFileSync(file, text.replace(from, to));
  };
  const made = spawnSync(tern, ["new", "demo", "--template", "web"], { cwd: folder, encoding: "utf8" });
  assert.strictEqual(made.status, 0, made.stderr);
  assert.match(made.stdout, /^ {2}cd demo\n {2}tern dev$/m);

  const env = { ...process.env, CMAKE_PREFIX_PATH: prefix, LC_ALL: "C" };
  const dev = spawn(tern, ["dev", "--port", "0"], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [dev.stdout, dev.stderr]) stream.on("data", data => { output += data; });
  const ended = once(dev, "exit");
  let browser;
  try {
    while (!/http:\/\/\S+\//.test(output)) await once(dev.stdout, "data");
    const [address] = /http:\/\/\S+\//.exec(output);
    browser = await launch(chromium);
    const tab = await browser.page(address.slice(0, -1));
    await tab.open("/");
    const title = text => after(tab, text => document.title === text, text);
    await title("demo");
    assert.strictEqual(output.match(/^tern dev: building$/gm).length, 1, "the first build began anew");
    assert.doesNotMatch(output, /warning/i);

    change("src/main.cpp", "add_routes(app);", "add_routes(app)");
    await title("The build failed");
    assert.match(await tab.evaluate(() => document.querySelector(".errors").textContent),
      /^src\/main\.cpp:\d+:\d+: error: expected ';' before 'return'\n +\d+ \| +add_routes\(app\)\n/);
    assert.match(output, /main\.cpp:\d+:\d+: error: expected ';'[^]*tern dev: the build failed; waiting for a change/);
    change("src/main.cpp", "add_routes(app)", "add_routes(app);");
    await title("demo");

    change("templates/home.mustache", "No entries yet", "An empty list");
    await after(tab, () => document.body?.textContent.includes("An empty list"));

    change("CMakeLists.txt", "include(CTest)", "include(CTest)\nfind_package(nothing-of-that-name REQUIRED)");
    await title("The build failed");
    assert.match(await tab.evaluate(() => document.querySelector(".errors").textContent), /^CMake Error at CMakeLists\.txt[^]*nothing-of-that-name/);
    change("CMakeLists.txt", "\nfind_package(nothing-of-that-name REQUIRED)", "");
    await title("demo");

    assert.deepStrictEqual(tab.problems.filter(problem => /exception|refused to/i.test(problem)), []);
    await browser.close();
    browser = undefined;
    dev.kill("SIGINT");
    assert.deepStrictEqual(await ended, [0, null]);
    console.log("tern dev with a new project: as expected");
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
