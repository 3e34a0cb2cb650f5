import assert from "node:assert/strict";
import { test } from "node:test";
import { base, text, until, visit } from "./harness.mjs";

test("frame: Japanese, themes and palettes, kept over a reload", async () => {
  await visit("/about", {}, async (page) => {
    await page.locator(".settings summary").click();
    await page.getByRole("combobox", { name: "Language" }).selectOption("ja");
    await until("Japanese", async () => (await text(page, "header nav")).includes("観戦"));
    assert.equal(await page.getAttribute("html", "lang"), "ja");
    await page.getByRole("combobox", { name: "配色" }).selectOption("dark");
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    await page.getByRole("combobox", { name: "タイルの色" }).selectOption("blind");
    await page.reload();
    await page.waitForSelector("#version");
    assert.deepEqual(await page.evaluate(() => ({ ...document.documentElement.dataset })), { theme: "dark", palette: "blind" });
  });
});

test("frame: the first load is small, and complete without the network", async () => {
  let bytes = 0;
  const hosts = new Set();
  await visit("/about", {}, async (page) => {
    page.on("response", async (response) => hosts.add(new URL(response.url()).host));
    page.on("requestfinished", async (request) => {
      if (!request.url().includes("/api/")) bytes += (await request.sizes()).responseBodySize;
    });
    await page.context().clearCookies();
    await page.goto(`${base}/?seed=7`, { waitUntil: "load" });
    await page.waitForSelector("#score");
    await page.waitForTimeout(300);
  });
  assert.deepEqual([...hosts], [new URL(base).host]);
  assert.ok(bytes < 100_000, `${bytes} bytes`);
});

test("frame: a page that does not exist, and a refused request, are told", async () => {
  await visit("/", {}, async (page) => {
    await page.evaluate(() => {
      history.pushState(null, "", "/nowhere");
      dispatchEvent(new PopStateEvent("popstate"));
    });
    await page.waitForSelector("text=There is no such page");
    await page.goBack();
    await page.waitForSelector("#score");
  });
});
