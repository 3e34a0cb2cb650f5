import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, base, looks, text, visit } from "./harness.mjs";

test("about: what it is, by keyboard, and no link leads nowhere", async () => {
  await visit("/about", {}, async (page) => {
    await page.waitForSelector("#version");
    assert.match(await text(page, "#version"), /^Version \d+\.\d+\.\d+/);
    assert.match(await text(page, ".keys"), /list of keys/);
    const links = await page.locator("a[href]").evaluateAll((all) => all.map((a) => a.href));
    for (const link of new Set(links)) {
      if (link.includes("#")) continue;
      const response = await page.request.get(link);
      assert.equal(response.status(), 200, link);
    }
    const description = await (await page.request.get(`${base}/api/openapi.json`)).json();
    assert.ok(description.paths["/api/analyse"]);
    await page.locator("main").focus();
    await page.keyboard.press("1");
    await page.waitForSelector("#score");
  });
});

test("about: by touch on a phone", async () => {
  await visit("/about", { phone: true }, async (page) => {
    await page.locator("details summary").nth(1).tap();
    await page.getByRole("link", { name: "Watch" }).tap();
    await page.waitForSelector(".lanes");
    await page.getByRole("link", { name: "About" }).tap();
    await page.waitForSelector("#version");
    await accessible(page);
  });
});

test("about: looks and access", async () => {
  for (const dark of [false, true]) {
    await visit("/about", { dark }, async (page) => {
      await page.waitForSelector("#version");
      await accessible(page);
      // What stands above depends on the build and moves the letters by parts of a pixel.
      await page.locator(".prose > :not([aria-labelledby=rules-title])").evaluateAll((all) => all.forEach((node) => (node.style.display = "none")));
      if (!dark) await looks(page.locator("section[aria-labelledby=rules-title]"), "about");
    });
  }
});
