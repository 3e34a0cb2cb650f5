import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, looks, text, until, visit } from "./harness.mjs";

const moves = async (page, lane = 0) => Number((await page.locator(".lane-moves").nth(lane).innerText()).replace(/\D/g, ""));

test("watch: pause, step, speed and take over by keyboard", async () => {
  await visit("/watch?paused=1&agent=greedy&seed=7", {}, async (page) => {
    await page.waitForSelector(".lane .board");
    await page.locator("main").focus();
    await page.keyboard.press("n");
    await until("one move", async () => (await moves(page)) === 1);
    await page.keyboard.press("n");
    await until("two moves", async () => (await moves(page)) === 2);
    await page.keyboard.press("+");
    await page.keyboard.press(" ");
    await until("it goes on", async () => (await moves(page)) > 8);
    await page.keyboard.press(" ");
    const board = await page.getAttribute(".lane .field", "aria-label");
    const count = await moves(page);
    assert.notEqual(await text(page, ".lane .figures dd"), "–");
    await page.keyboard.press("t");
    await page.waitForURL(/\/\?.*seed=7/);
    // The same seed draws the same tiles: the game is the one that was watched.
    await until("the same position", async () => (await page.getAttribute(".field", "aria-label")) === board);
    assert.equal(await text(page, ".scores .score:nth-child(3) b"), String(count));
  });
});

test("watch: two agents on the same seeds, and a histogram that fills", async () => {
  await visit("/watch?size=2x2&agent=exact&agent=random&speed=0&seed=1", {}, async (page) => {
    await page.waitForSelector(".histogram .bin");
    await until("both have results", async () => (await page.locator(".histogram").count()) === 2);
    await until("several games", async () => /^[3-9] games|^\d\d+ games/.test(await page.locator(".lane .small").last().innerText()));
    await page.getByRole("button", { name: "Remove random" }).click();
    await until("one lane", async () => (await page.locator(".lane").count()) === 1);
  });
});

test("watch: an agent that does not exist is told in a sentence", async () => {
  // The browser itself logs a request that was refused.
  await visit("/watch?agent=nobody&paused=1", { allow: /status of 400/ }, async (page) => {
    await page.waitForSelector(".lane");
    const failing = page.waitForResponse((response) => response.url().endsWith("/api/play"));
    await page.getByRole("button", { name: "Step" }).click();
    assert.equal((await failing).status(), 400);
    await page.waitForSelector(".lane .problem");
  });
});

test("watch: by touch on a phone", async () => {
  await visit("/watch?paused=1&agent=greedy", { phone: true }, async (page) => {
    await page.waitForSelector(".lane .board");
    await page.locator("#step").tap();
    await until("one move", async () => (await moves(page)) === 1);
    await page.locator("#pause").tap();
    await until("it goes on", async () => (await moves(page)) > 3);
    await page.locator("#pause").tap();
    await page.getByRole("button", { name: "Take over" }).tap();
    await page.waitForURL(/\/\?/);
    await page.waitForSelector("#score");
  });
});

test("watch: looks and access", async () => {
  for (const dark of [false, true]) {
    await visit("/watch?paused=1&agent=greedy&agent=random&seed=7", { dark }, async (page) => {
      await page.waitForSelector(".lane .board");
      for (let n = 1; n <= 3; n++) {
        await page.locator("#step").click();
        await until("a move", async () => (await moves(page)) === n && (await moves(page, 1)) === n);
      }
      await accessible(page);
      // Speed is never twice the same.
      if (!dark) await looks(page.locator(".lanes"), "watch", { mask: [page.locator(".lane .figures div:nth-child(3)")] });
    });
  }
});
