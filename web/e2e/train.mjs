import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, looks, until, visit } from "./harness.mjs";

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

test("train: by touch on a phone", async () => {
  await visit("/train", { phone: true }, async (page) => {
    await page.waitForSelector(".runs li");
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
