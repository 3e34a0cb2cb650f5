import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, looks, swipe, text, until, visit } from "./harness.mjs";

const score = async (page) => Number((await text(page, "#score")).replace(/\D/g, ""));
const moves = (page) => text(page, ".scores .score:nth-child(3) b");

test("play: a game by keyboard, with hints, undo, reload and review", async () => {
  await visit("/?seed=7", {}, async (page) => {
    await page.waitForSelector("text=Hidden until you ask");
    for (const key of ["ArrowUp", "w", "k", "ArrowLeft", "a", "h", "ArrowRight", "d", "l", "s", "j", "ArrowDown"]) await page.keyboard.press(key);
    const played = Number(await moves(page));
    assert.ok(played >= 6, `${played} moves`);
    const [before, board] = [await score(page), await page.getAttribute(".field", "aria-label")];
    // Undo and the same move bring the same tile again.
    await page.keyboard.press("u");
    assert.equal(Number(await moves(page)), played - 1);
    for (const key of ["ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight"]) {
      await page.keyboard.press(key);
      if ((await page.getAttribute(".field", "aria-label")) === board) break;
      if (Number(await moves(page)) === played) await page.keyboard.press("u");
    }
    assert.equal(await page.getAttribute(".field", "aria-label"), board);
    assert.equal(await score(page), before);
    // The address names the game, and so does the browser's store.
    await until("the address has the moves", () => page.url().includes("moves="));
    await page.goto(new URL("/", page.url()).href);
    assert.equal(await page.getAttribute(".field", "aria-label"), board);
    // A hint names the best move, and the totals appear.
    await page.keyboard.press("Shift+H");
    await page.waitForSelector(".bars .top");
    assert.match(await text(page, ".badge"), /^estimate · expectimax\(net=default\)/);
    await page.waitForSelector(".arrow");
    // The agent takes over, and gives back.
    await page.keyboard.press("p");
    await until("the agent moves", async () => Number(await moves(page)) >= played + 5);
    await page.keyboard.press("p");
    await until("totals appear", async () => (await text(page, "#tally-title ~ .figures dd")) !== "–");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open] kbd");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog:not([open])", { state: "attached" });
    await page.keyboard.press("v");
    await page.waitForURL(/\/review\/[0-9a-f]{16}/);
    await page.waitForSelector("#identity");
  });
});

test("play: input is never delayed by animation", async () => {
  await visit("/?seed=11", { motion: true }, async (page) => {
    const count = await page.evaluate(() => {
      const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      for (let i = 0; i < 40; i++) press(["ArrowLeft", "ArrowDown", "ArrowRight", "ArrowDown"][i % 4]);
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector(".scores .score:nth-child(3) b").textContent))));
    });
    // Forty key presses in one go: those that change the board all count.
    assert.ok(Number(count) >= 25, `${count} moves of 40 presses`);
    const longest = await page.evaluate(() => Math.max(...document.getAnimations().map((a) => Number(a.effect.getComputedTiming().duration)), 0));
    assert.ok(longest <= 100, `${longest} ms`);
  });
});

test("play: a search by simulations says its budget and how deep its tree is", async () => {
  await visit("/?seed=7&hints=1&agent=mcss(sims=200)", {}, async (page) => {
    await page.waitForSelector(".bars .top");
    assert.match(await text(page, ".badge"), /^estimate · mcss\(sims=200\) · depth \d+$/);
    const depth = await text(page, ".badge");
    // Plies mean nothing to it.
    const asked = page.waitForRequest((request) => request.postData()?.includes('"depth":1') ?? false);
    await page.getByLabel("Budget").selectOption({ label: "depth 1" });
    await (await asked).response();
    await until("the same tree", async () => (await text(page, ".badge")) === depth);
    await page.getByLabel("Budget").selectOption({ label: "50 ms" });
    await until("budget and depth", async () => /^estimate · mcss\(sims=200\) · 50 ms · depth \d+$/.test(await text(page, ".badge")));
  });
  await visit("/watch?seed=7&agent=mcss(sims=100)", {}, async (page) => {
    await until("depth of the tree", async () => /^[1-9]\d*$/.test(await page.locator(".lane .figures div:nth-child(2) dd").innerText()));
  });
});

test("play: small boards, other laws and seeds; exact values where they exist", async () => {
  await visit("/?seed=3&size=2x3&hints=1", {}, async (page) => {
    await page.waitForSelector(".bars .top");
    assert.equal(await text(page, ".badge"), "exact");
    await page.locator("select").first().focus();
    await page.getByLabel("Seed", { exact: true }).fill("12345678901234567890");
    await page.getByLabel("Chance of a 4").fill("1");
    await page.getByRole("button", { name: "Begin" }).click();
    await until("the address has seed and law", () => page.url().includes("seed=12345678901234567890") && page.url().includes("p4=1"));
    assert.match(await page.getAttribute(".field", "aria-label"), /^Board: (empty|4| |,)+$/);
    await page.getByRole("combobox", { name: "Board" }).selectOption("4x4");
    await until("sixteen cells", async () => (await page.locator(".hole").count()) === 16);
  });
});

test("play: the same game as the program plays", async () => {
  // The first positions of web/src/game/golden/4x4-seed7.jsonl.
  await visit("/?seed=7&moves=3.D", {}, async (page) => {
    await until("the position", async () => (await page.locator("code").last().innerText()) === "2200010000001000");
  });
});

test("play: by touch on a phone", async () => {
  await visit("/?seed=7", { phone: true }, async (page) => {
    await swipe(page, ".board", 0, -60);
    await until("one move", async () => (await moves(page)) === "1");
    await swipe(page, ".board", 4, 4);
    assert.equal(await moves(page), "1", "less than ten pixels are no swipe");
    await swipe(page, ".board", -60, 8);
    await until("two moves", async () => (await moves(page)) === "2");
    await page.getByRole("button", { name: "Hint" }).tap();
    await page.waitForSelector(".bars .top");
    await page.getByRole("button", { name: "Undo" }).tap();
    assert.equal(await moves(page), "1");
    await accessible(page);
  });
});

test("play: looks and access, light and dark", async () => {
  const address = "/?seed=7&hints=1&moves=13.zOzsw";
  for (const dark of [false, true]) {
    await visit(address, { dark }, async (page) => {
      await page.waitForSelector(".bars .top");
      await until("all moves judged", async () => (await text(page, "#tally-title ~ p")) === "13 of 13 moves judged");
      await accessible(page);
      await looks(page.locator("section.main"), dark ? "play-dark" : "play");
      if (!dark) await looks(page.locator("section[aria-labelledby=values-title]"), "play-values");
    });
  }
  await visit(address, { phone: true }, async (page) => {
    await page.waitForSelector(".bars .top");
    await looks(page.locator("section.main"), "play-phone");
  });
  await visit(`${address}&palette=blind`, {}, async (page) => {
    await accessible(page);
    await looks(page.locator(".board"), "play-blind");
  });
});
