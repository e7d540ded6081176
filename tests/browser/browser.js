// Drives headless Chromium by its DevTools protocol, over Debian's node-ws: launch(), then pages that click and type as a
// user does. What a page must not do is collected in `problems`: exceptions, errors on the console, violations of the
// Content-Security-Policy, requests to another origin.
const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const names = ["chromium", "chromium-browser", "google-chrome"];

// The browser's program, or null.
function findBrowser() {
  return names.find(name => spawnSync(name, ["--version"]).status === 0) ?? null;
}

class Page {
  constructor(browser, session, origin) {
    Object.assign(this, { browser, session, origin, problems: [], requests: 0 });
  }

  send(method, parameters = {}) {
    return this.browser.send(method, parameters, this.session);
  }

  async start() {
    this.on("Runtime.exceptionThrown", ({ exceptionDetails }) => this.problems.push(exceptionDetails.exception?.description ?? exceptionDetails.text));
    this.on("Runtime.consoleAPICalled", ({ type, args }) => type === "error" && this.problems.push(args.map(arg => arg.value).join(" ")));
    this.on("Log.entryAdded", ({ entry }) => entry.level === "error" && this.problems.push(`${entry.source}: ${entry.text} ${entry.url ?? ""}`));
    this.on("Network.requestWillBeSent", ({ request }) => {
      ++this.requests;
      if (!/^(data|blob):/.test(request.url) && !request.url.startsWith(this.origin)) this.problems.push(`requested ${request.url}`);
    });
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) await this.send(`${domain}.enable`);
  }

  on(method, handler) {
    this.browser.handlers.push(message => message.sessionId === this.session && message.method === method && handler(message.params));
  }

  // The result of function(...values) in the page.
  async evaluate(call, ...values) {
    const expression = `(${call})(...${JSON.stringify(values)})`;
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`in the page: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  // Until function(...values) is true in the page.
  async until(call, ...values) {
    for (const end = Date.now() + 15_000; ;) {
      // A page that is being left cannot be asked; the next one can.
      const value = await this.evaluate(call, ...values).catch(error => {
        if (!/navigated or closed|context was destroyed|Cannot find context/.test(error.message)) throw error;
      });
      if (value) return value;
      if (Date.now() > end) throw new Error(`never true: ${call} of ${JSON.stringify(values)}`);
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }

  async open(address) {
    // A fragment alone would not load the page again.
    await this.send("Page.navigate", { url: "about:blank" });
    await this.until(() => location.href === "about:blank");
    await this.send("Page.navigate", { url: this.origin + address });
    await this.until(() => location.href !== "about:blank" && document.readyState === "complete" && !document.querySelector("#loading"));
  }

  // A click of the mouse in the middle of the first element that `selector` finds and that has the text.
  async click(selector, text = "") {
    const place = await this.until((selector, text) => {
      const node = [...document.querySelectorAll(selector)].find(node => node.checkVisibility() && node.textContent.includes(text));
      node?.scrollIntoView({ block: "center", behavior: "instant" });
      const { x, y, width, height } = node?.getBoundingClientRect() ?? {};
      return node && width && { x: x + width / 2, y: y + Math.min(height / 2, 12) };
    }, selector, text);
    for (const type of ["mousePressed", "mouseReleased"]) await this.send("Input.dispatchMouseEvent", { type, ...place, button: "left", clickCount: 1 });
  }

  async type(text) {
    await this.send("Input.insertText", { text });
  }

  async press(key, modifiers = 0) {
    const codes = { Enter: 13, Escape: 27, Tab: 9 };
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const event = { key, text, modifiers, windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0) };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event, text: undefined });
  }

  // Replaces the value of an input or text area.
  async enter(selector, value) {
    await this.click(selector);
    await this.evaluate(selector => document.querySelector(selector).select(), selector);
    if (value === "") return this.press("Backspace");
    await this.type(value);
  }

  // Chooses the option of a select that has this text.
  async choose(selector, text) {
    await this.evaluate((selector, text) => {
      const select = document.querySelector(selector);
      select.selectedIndex = [...select.options].findIndex(option => option.text === text);
      for (const type of ["input", "change"]) select.dispatchEvent(new Event(type, { bubbles: true }));
    }, selector, text);
  }

  async chooseFiles(selector, files) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files });
  }

  async resize(width, height) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  }

  async prefer(scheme) {
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }] });
  }

  async picture(file, whole = false) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }
}

class Browser {
  constructor(process, socket, folder) {
    Object.assign(this, { process, socket, folder, waiting: new Map(), handlers: [], last: 0 });
    socket.on("message", data => {
      const message = JSON.parse(data);
      if (message.id === undefined) return this.handlers.forEach(handler => handler(message));
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      message.error ? reject(new Error(`DevTools: ${message.error.message}`)) : resolve(message.result);
    });
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // An empty page, which may only send requests to `origin`. With `isApart`, with cookies of its own.
  async page(origin, { isApart = false } = {}) {
    const context = isApart ? await this.send("Target.createBrowserContext") : {};
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", ...context });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, origin);
    await page.start();
    await page.resize(1280, 900);
    await page.prefer("light");
    return page;
  }

  async close() {
    const ended = new Promise(resolve => this.process.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    await ended;
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function launch(program) {
  const WebSocket = require("ws");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tern-browser-"));
  const child = spawn(program, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", `--user-data-dir=${folder}`, "--remote-debugging-port=0", "about:blank"],
  { stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let output = "";
    child.stderr.on("data", data => {
      output += data;
      const found = /DevTools listening on (ws:\S+)/.exec(output);
      if (found) resolve(found[1]);
    });
    child.once("exit", () => reject(new Error(`${program} ended: ${output}`)));
  });
  const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return new Browser(child, socket, folder);
}

module.exports = { findBrowser, launch };
