import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, looks, text, until, visit } from "./harness.mjs";

const value = async (page) => Number((await text(page, "#exact-value")).replace(/,/g, ""));

test("explore: down and back by keyboard, values that agree with each other", async () => {
  await visit("/explore/2x3/120000", {}, async (page) => {
    await page.waitForSelector("#exact-value");
    // As `maxtile query 2x3:120000` says it.
    assert.equal(await value(page), 477.3528);
    // The mean over the spawns after the best move, with its reward 0, is the value.
    const mean = await page.locator(".spawns tbody tr").evaluateAll((rows) => rows.reduce((sum, row) => sum + (parseFloat(row.cells[2].innerText) / 100) * parseFloat(row.cells[3].innerText.replace(/,/g, "")), 0));
    assert.ok(Math.abs(mean - 477.3528) < 0.01, `${mean}`);
    await page.keyboard.press("ArrowRight");
    await until("the move is chosen", async () => (await text(page, "#spawns-title")) === "Tiles after right");
    await page.locator("main").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/way=120000/);
    await until("one crumb", async () => (await page.locator(".crumbs a").count()) === 1);
    await page.keyboard.press("u");
    await page.waitForURL(/\/explore\/2x3\/120000$/);
    await page.keyboard.press("r");
    await until("another state", async () => !page.url().includes("/120000"));
    await page.keyboard.press("e");
    await page.waitForSelector(".field.buttons button");
    await page.keyboard.press("e");
  });
});

test("explore: other boards, mirror and turn, and boards to be solved", async () => {
  await visit("/explore", {}, async (page) => {
    await page.waitForSelector("#exact-value");
    const larger = await value(page);
    await page.getByRole("link", { name: "2×2" }).click();
    await page.waitForURL(/\/explore\/2x2$/);
    // The old value stands until the new one is there.
    const there = async () => (await page.locator("#exact-value").count()) === 1 && (await value(page)) !== larger;
    await until("the value of the other board", there);
    const before = await value(page);
    await page.getByRole("button", { name: "Turn" }).click();
    await page.waitForURL(/\/explore\/2x2\/\d+/);
    await page.waitForSelector("#exact-value");
    assert.equal(await value(page), before, "symmetric positions are worth the same");
    await page.getByRole("link", { name: /2×4/ }).click();
    // A larger board can be solved from here, with progress.
    await page.getByRole("button", { name: "Solve it" }).click();
    await page.waitForSelector("#exact-value", { timeout: 240_000 });
  });
});

test("explore: the model beside the truth, the largest disagreement", async () => {
  await visit("/explore/2x3/120000?agent=heuristic", {}, async (page) => {
    await page.waitForSelector("#model-title");
    await page.getByRole("button", { name: "Largest disagreement" }).click();
    await until("another state", async () => !page.url().includes("/120000"));
    await page.waitForSelector("#model-title");
    await page.waitForSelector("text=heuristic");
  });
});

test("explore: the scores of the best player, at once and on request", async () => {
  await visit("/explore/2x2/1100", {}, async (page) => {
    // As `maxtile solve 2x2 --scores` says it.
    await until("the mean is there", async () => (await text(page, "#scores-mean")) === "66.96");
    const chart = page.locator("section[aria-labelledby=scores-title] svg");
    assert.match(await chart.getAttribute("aria-label"), /mean 67.0, standard deviation 24.0/);
    const tips = await page.locator("section[aria-labelledby=scores-title] title").allTextContents();
    const sum = tips.reduce((all, tip) => all + parseFloat(tip.split(": ")[1]), 0);
    assert.ok(Math.abs(sum - 100) < 1, `${sum} % in ${tips.length} bars`);
    await page.getByRole("link", { name: "2×3", exact: true }).click();
    await until("the scores of the other board", async () => (await text(page, "#scores-mean").catch(() => "")) === "480.26");
  });
});

test("explore: by touch on a phone", async () => {
  await visit("/explore/2x3/120000", { phone: true }, async (page) => {
    await page.waitForSelector("#exact-value");
    await page.getByRole("button", { name: "right", exact: true }).tap();
    await until("the move is chosen", async () => (await text(page, "#spawns-title")) === "Tiles after right");
    await page.getByRole("button", { name: /follow 2 in cell/ }).first().tap();
    await page.waitForURL(/way=120000/);
    await page.getByRole("button", { name: "Back" }).tap();
    await page.waitForURL(/\/explore\/2x3\/120000$/);
    await accessible(page);
  });
});

test("explore: looks and access", async () => {
  for (const dark of [false, true]) {
    await visit("/explore/2x3/120000?agent=heuristic", { dark }, async (page) => {
      await page.waitForSelector("#model-title");
      await page.waitForSelector("#scores-mean");
      await accessible(page);
      if (dark) return;
      // Chances of tiles may come from sampled games, so the pictures are of what is exact.
      await looks(page.locator("section.main"), "explore");
      await looks(page.locator("section[aria-labelledby=exact-title]"), "explore-values");
      await looks(page.locator("section[aria-labelledby=scores-title]"), "explore-scores");
    });
  }
});
