// The real program, a real browser, and what every page must keep: silence, access, looks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import { chromium } from "playwright-core";
import { PNG } from "pngjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TIMEOUT = Number(process.env.E2E_TIMEOUT ?? 90_000);
/** Kept games are synced to the disk, which takes half a minute where a build has just filled its queue. Memory has none. */
const ROOM = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
/** Share of pixels that may differ from a golden image: edges of letters, nothing more. */
const TOLERANCE = 0.002;

let server;
let browser;
let data;
export let base = process.env.E2E_URL ?? "";

/** Starts `maxtile serve` on a free port with an empty data folder, and the browser. */
export async function start() {
  if (!base) {
    const program = process.env.MAXTILE_BIN;
    assert.ok(program, "MAXTILE_BIN names the program, E2E_URL a server that runs already");
    data = mkdtempSync(join(ROOM, "maxtile-e2e-"));
    server = spawn(program, ["serve", "--port", "0"], { env: { ...process.env, MAXTILE_DATA: data }, stdio: ["ignore", "pipe", "pipe"] });
    base = await new Promise((resolve, reject) => {
      let said = "";
      const listen = (chunk) => {
        said += chunk;
        const found = /http:\/\/[\w.:[\]-]+:\d+/.exec(said);
        if (found) resolve(found[0]);
      };
      server.stdout.on("data", listen);
      server.stderr.on("data", listen);
      server.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    });
  }
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--font-render-hinting=none",
      "--force-color-profile=srgb",
    ],
  });
}

export async function stop() {
  await browser?.close();
  if (server) {
    server.removeAllListeners("exit");
    const code = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGINT");
    assert.equal(await code, 0, "Ctrl-C ends the server with 0");
  }
  if (data) rmSync(data, { recursive: true, force: true });
}

/** Opens a page, does something on it, and sees that the console stayed silent. */
export async function visit(path, options, work) {
  const phone = options.phone ?? false;
  const context = await browser.newContext({
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 900 },
    hasTouch: phone,
    isMobile: phone,
    deviceScaleFactor: 1,
    reducedMotion: options.motion ? "no-preference" : "reduce",
    colorScheme: options.dark ? "dark" : "light",
    locale: "en-US",
    timezoneId: "UTC",
  });
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  const noise = [];
  page.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  try {
    await page.goto(base + path, { waitUntil: "load" });
    await page.waitForSelector("main > *");
    await work(page);
    if (phone) await noSidewaysScroll(page);
    assert.deepEqual(
      noise.filter((line) => !options.allow?.test(line)),
      [],
      "the console is silent",
    );
  } catch (error) {
    mkdirSync(join(here, "out"), { recursive: true });
    await page.screenshot({ path: join(here, "out", "failed.png"), fullPage: true }).catch(() => undefined);
    const problems = await page.locator(".problem").allInnerTexts().catch(() => []);
    if (problems.length > 0) error.message += `\nthe page says: ${problems.join("; ")}`;
    if (noise.length > 0) error.message += `\nconsole: ${noise.join("\n")}`;
    throw error;
  } finally {
    await context.close();
  }
}

async function noSidewaysScroll(page) {
  const [inner, wide] = await page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]);
  assert.ok(wide <= inner, `the page is ${wide} pixels wide in a window of ${inner}`);
}

/** No finding of axe-core that is serious. The policy of the page forbids script tags, not evaluation. */
export async function accessible(page) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter((v) => v.impact === "serious" || v.impact === "critical")
      .map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(" ")} (${n.failureSummary?.split("\n")[1]?.trim()})`).join("; ")}`);
  });
  assert.deepEqual(found, []);
}

/** Compares an element with its golden image; MAXTILE_BLESS=1 writes the image. */
export async function looks(locator, name, options = {}) {
  const file = join(here, "golden", `${name}.png`);
  const shot = await locator.screenshot({ animations: "disabled", caret: "hide", ...options });
  if (process.env.MAXTILE_BLESS === "1" || !existsSync(file)) {
    assert.equal(process.env.MAXTILE_BLESS, "1", `${name}.png is not there; MAXTILE_BLESS=1 makes it`);
    mkdirSync(join(here, "golden"), { recursive: true });
    writeFileSync(file, shot);
    return;
  }
  const [now, golden] = [PNG.sync.read(shot), PNG.sync.read(readFileSync(file))];
  const keep = () => {
    mkdirSync(join(here, "out"), { recursive: true });
    writeFileSync(join(here, "out", `${name}.png`), shot);
  };
  if (now.width !== golden.width || now.height !== golden.height) {
    keep();
    assert.fail(`${name} is ${now.width} × ${now.height}, the golden image ${golden.width} × ${golden.height}; see e2e/out`);
  }
  const difference = pixelmatch(now.data, golden.data, undefined, now.width, now.height, { threshold: 0.15 });
  if (difference > TOLERANCE * now.width * now.height) keep();
  assert.ok(difference <= TOLERANCE * now.width * now.height, `${name}: ${difference} pixels differ; see e2e/out`);
}

/** A swipe with one finger over an element. */
export async function swipe(page, selector, dx, dy) {
  const box = await page.locator(selector).first().boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const client = await page.context().newCDPSession(page);
  const touch = (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [{ x, y }]);
  await touch("touchMove", [{ x: x + dx / 2, y: y + dy / 2 }]);
  await touch("touchMove", [{ x: x + dx, y: y + dy }]);
  await touch("touchEnd", []);
  await client.detach();
}

export const text = (page, selector) => page.locator(selector).first().innerText();

/** Waits until something holds, and says what did not. */
export async function until(what, condition, timeout = TIMEOUT) {
  const end = Date.now() + timeout;
  for (;;) {
    if (await condition()) return;
    assert.ok(Date.now() < end, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
