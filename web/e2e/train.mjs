import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, base, looks, until, visit } from "./harness.mjs";

const name = `e2e-${process.pid}`;

test("train: start, follow, stop, resume and watch a run by keyboard", async () => {
  await visit("/train", {}, async (page) => {
    await page.locator("option", { hasText: "whole-2x2" }).waitFor({ state: "attached" });
    await page.getByRole("combobox", { name: "Recipe" }).selectOption("whole-2x2");
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Games", { exact: true }).fill("100000000");
    await page.getByLabel("Games", { exact: true }).press("Enter");
    await page.waitForURL(new RegExp(`run=${name}`));
    await page.waitForSelector(".figure .chart[data-ready='1'] canvas");
    await page.waitForSelector(".dot.running");
    await page.getByRole("button", { name: `Stop ${name}` }).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".dot.stopped");
    await page.getByRole("button", { name: `Resume ${name}` }).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".dot.running");
    await page.getByRole("button", { name: `Stop ${name}` }).click();
    await page.waitForSelector(".dot.stopped");
    // Axis, smoothing and the logarithm are in the address.
    await page.locator("main").focus();
    await page.keyboard.press("l");
    await page.keyboard.press("x");
    await page.keyboard.press("]");
    await until("the address follows", () => /log=1/.test(page.url()) && /x=moves/.test(page.url()) && /smooth=0.05/.test(page.url()));
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Mean score, with its 95 % interval: download as CSV" }).click();
    assert.equal((await download).suggestedFilename(), "score.csv");
    await page.getByRole("link", { name: /Watch the checkpoint/ }).first().click();
    await page.waitForURL(/\/watch\?size=2x2&agent=/);
    await until("the network plays on its own board", async () => Number(await page.locator(".lane-moves").innerText()) > 0);
  });
});

test("train: two runs in groups, what makes them different, weights, a filter", async () => {
  await visit("/train", {}, async (page) => {
    for (const [run, seed] of [["a", 1], ["b", 2]]) {
      const body = { preset: "whole-2x2", name: `${name}-${run}`, set: { games: 3000, block: 500, seed, threads: 1, "eval-every": 0 } };
      const started = await page.request.post(`${base}/api/runs`, { data: body, headers: { origin: base } });
      assert.equal(started.status(), 200, await started.text());
    }
    const state = async (run) => (await (await page.request.get(`${base}/api/runs/${name}-${run}`)).json()).state;
    await until("both have learned", async () => (await state("a")) === "done" && (await state("b")) === "done");
    await page.goto(`${base}/train?run=${name}-a`);
    // The other run tells its difference from the chosen one.
    await page.waitForSelector(`.runs > li:has-text("${name}-b") .diff`);
    const differs = page.locator(`.runs > li:has-text("${name}-b") .diff li`);
    assert.deepEqual(await differs.allInnerTexts(), ["seed 1 2"]);
    // Weights of the newest checkpoint, a table with its histogram.
    await page.getByRole("heading", { name: "Weights after 3,000 games" }).waitFor();
    const cells = await page.locator(".weights tbody tr").first().locator("th, td").allInnerTexts();
    assert.equal(cells[0], "0123");
    assert.ok(parseFloat(cells[3]) > 0 && parseFloat(cells[3]) <= 100, cells[3]);
    assert.ok((await page.locator(".weights svg .body").count()) === 32);
    // A filter, then groups by the one setting that differs.
    await page.getByLabel("Filter").fill(`${name} seed=2`);
    await until("one run is left", async () => (await page.locator(".runs > li").count()) === 1);
    await page.getByLabel("Filter").fill(name);
    await page.getByLabel("Group by").selectOption("seed");
    const both = page.getByRole("checkbox", { name: "choose all of seed = 2" });
    await both.focus();
    await page.keyboard.press("Space");
    await until("the run of the group is chosen", () => page.url().includes(`run=${name}-b`));
    await page.getByLabel("one curve a group").check();
    await until("a curve is called as its group", async () => (await page.locator("section[aria-labelledby=score-title] .legend").innerText()).includes("seed = 2"));
    await until("all of it is in the address", () => /group=seed/.test(page.url()) && /means=1/.test(page.url()) && page.url().includes(`filter=${name}`));
    await accessible(page);
    const weights = page.locator(`section[aria-label="${name}-a"] .weights`);
    await looks(weights, "train-weights");
  });
});

test("train: by touch on a phone", async () => {
  await visit("/train", { phone: true }, async (page) => {
    await page.waitForSelector(".runs > li");
    await page.locator(".runs label").first().tap();
    await page.waitForURL(/run=/);
    await page.waitForSelector(".chart[data-ready='1'] canvas");
    await accessible(page);
  });
});

test("train: looks and access", async () => {
  for (const dark of [false, true]) {
    await visit("/train", { dark }, async (page) => {
      await page.waitForSelector(".papers input");
      for (const box of (await page.locator(".papers input").all()).slice(0, 3)) await box.check();
      await page.waitForSelector(".chart[data-ready='1'] canvas");
      await accessible(page);
      if (!dark) await looks(page.locator("section[aria-labelledby=score-title]"), "train");
    });
  }
});
