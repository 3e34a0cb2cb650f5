// How the page bears a long game: MAXTILE_BIN=… node e2e/long_review.mjs RECORD [AGENT]
// Prints JSON: when progress shows, how fast a review is cancelled, how long it takes, and how long frames are
// while results come in and while the list of moves is scrolled from end to end.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { base, start, stop, text, until, visit } from "./harness.mjs";

const [file, agent] = process.argv.slice(2);
const record = readFileSync(file, "utf8");
const moves = JSON.parse(record).plies.length;

/** The lengths of frames, as far as they are known to the page, while some work goes on. */
async function frames(page, work) {
  await page.evaluate(() => {
    globalThis.frameTimes = [];
    let last = performance.now();
    const tick = (now) => {
      globalThis.frameTimes.push(now - last);
      last = now;
      globalThis.frameHandle = requestAnimationFrame(tick);
    };
    globalThis.frameHandle = requestAnimationFrame(tick);
  });
  await work();
  const times = await page.evaluate(() => {
    cancelAnimationFrame(globalThis.frameHandle);
    return globalThis.frameTimes.slice(1).sort((a, b) => a - b);
  });
  const at = (part) => Number(times[Math.min(times.length - 1, Math.floor(part * times.length))].toFixed(1));
  return { frames: times.length, median_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), longest_ms: at(1) };
}

await start();
const found = { moves };
try {
  await visit("/review", { motion: true }, async (page) => {
    const kept = await page.request.post(`${base}/api/records`, { data: { record }, headers: { origin: base } });
    const { id } = await kept.json();
    const address = `${base}/review/${id}${agent ? `?agent=${encodeURIComponent(agent)}` : ""}`;
    const share = () => page.locator("progress").first().evaluate((bar) => bar.value / bar.max);

    await page.goto(address);
    let clock = Date.now();
    await page.waitForSelector("progress");
    found.progress_shown_ms = Date.now() - clock;
    await until("some of it is judged", async () => (await share()) > 0.1);
    found.tenth_judged_ms = Date.now() - clock;
    clock = Date.now();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForSelector("text=Cancelled");
    found.cancelled_ms = Date.now() - clock;

    await page.goto(address);
    clock = Date.now();
    const seen = new Set();
    found.while_judging = await frames(page, async () => {
      while (!(await page.locator("#identity").count())) {
        const bar = page.locator("progress").first();
        seen.add(await bar.evaluate((node) => node.value, undefined, { timeout: 500 }).catch(() => 0));
        await page.waitForTimeout(50);
        assert.ok(Date.now() - clock < 600_000, "ten minutes");
      }
    });
    found.review_s = (Date.now() - clock) / 1000;
    found.progress_steps = seen.size;
    found.identity = await text(page, "#identity");

    // As a wheel does it: some rows a frame, from the first move to the last and back.
    const scroll = (step) =>
      page.locator(".vlist").evaluate(
        (list, by) =>
          new Promise((done) => {
            const tick = () => {
              const before = list.scrollTop;
              list.scrollTop += by;
              if (list.scrollTop === before) done();
              else requestAnimationFrame(tick);
            };
            tick();
          }),
        step,
      );
    found.scroll_slowly = await frames(page, () =>
      page.locator(".vlist").evaluate(
        (list) =>
          new Promise((done) => {
            let left = 300;
            const tick = () => {
              list.scrollTop += 40;
              if (--left === 0) done();
              else requestAnimationFrame(tick);
            };
            tick();
          }),
      ),
    );
    found.scroll_to_the_end = await frames(page, () => scroll(1500));
    await until("the last move is there", async () => (await page.locator(".vrow").last().locator(".at").innerText()) === String(moves - 1));
    found.rows_that_exist = await page.locator(".vrow").count();
    found.scroll_back = await frames(page, () => scroll(-1500));
    found.step_by_key = await frames(page, async () => {
      await page.locator("main").focus();
      for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowRight");
    });
  });
} finally {
  await stop();
}
console.log(JSON.stringify(found, null, 1));
