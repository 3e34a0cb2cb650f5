import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, base, looks, text, until, visit } from "./harness.mjs";
import { careless } from "./record.mjs";

const number = (words) => Number(words.replace("−", "-").replace(/[^\d.-]/g, ""));

/** Pastes a record into the page and waits for its review. */
async function paste(page, record) {
  await page.getByLabel("Paste a record").fill(record);
  await page.getByRole("button", { name: "Review this game" }).click();
  await page.waitForURL(/\/review\/[0-9a-f]{16}/);
  await page.waitForSelector("#identity");
}

test("review: a pasted game by keyboard, identity shown and true, drill until all is solved", async () => {
  await visit("/review", {}, async (page) => {
    await paste(page, careless(2, 3, 5));
    // Exact values: the board is solved.
    assert.equal(await text(page, "section[aria-labelledby=summary-title] .badge"), "exact");
    const [left, right] = (await text(page, "#identity")).split("=");
    const terms = right.replaceAll("−", "-").replaceAll(",", "").replaceAll(" ", "").match(/[+-]?[\d.]+/g).map(Number);
    const sum = terms.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(number(left) - sum) < 0.3, `${left} against ${right}`);
    // Walking.
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await until("the address follows", () => page.url().includes("turn=2"));
    assert.match(await text(page, ".scores .score:nth-child(3) b"), /^2 \//);
    await page.keyboard.press("n");
    const at = () => text(page, ".scores .score:nth-child(3) b");
    assert.notEqual((await at()).split(" ")[0], "2");
    assert.match(await page.locator(".vrow.selected .gr").innerText(), /\?/);
    await page.keyboard.press("End");
    await page.waitForSelector("text=The record ends here.");
    await page.keyboard.press("Home");
    // The drill: a wrong answer returns, near-best ones are accepted.
    await page.keyboard.press("t");
    await page.waitForSelector("#drill-count");
    const total = Number((await text(page, "#drill-count")).match(/of (\d+)/)[1]);
    assert.ok(total > 0);
    const asked = await text(page, "#drill-title ~ p:nth-of-type(2)");
    const played = asked.match(/You played (\w+)/)[1];
    await page.keyboard.press(`Arrow${played[0].toUpperCase()}${played.slice(1)}`);
    await page.waitForSelector("#drill-said.wrong");
    // Whoever does not know the answer asks for it, and knows it when the position returns.
    const learned = new Map();
    for (let round = 0; round < 100 && !(await page.locator("text=All solved").count()); round++) {
      const position = await page.getAttribute(".field", "aria-label");
      if (learned.has(position)) {
        await page.keyboard.press(learned.get(position));
        await page.waitForSelector("#drill-said.right");
      } else {
        await page.keyboard.press("n");
        const best = (await text(page, "#drill-said")).match(/best move is (\w+)/)[1];
        learned.set(position, `Arrow${best[0].toUpperCase()}${best.slice(1)}`);
      }
      await page.keyboard.press("n");
      await until("the next one", async () => !/\w/.test((await page.locator("#drill-said").allInnerTexts()).join()));
    }
    await page.waitForSelector("text=All solved");
    assert.equal(await text(page, "#drill-count"), `${total} of ${total} solved`);
    await page.keyboard.press("Escape");
    await page.waitForSelector("#move-title");
  });
});

test("review: a dropped file, a broken one, a link that leads nowhere", async () => {
  await visit("/review", {}, async (page) => {
    await page.setInputFiles("input[type=file]", { name: "game.jsonl", mimeType: "application/json", buffer: Buffer.from(careless(2, 2, 3)) });
    await page.waitForSelector("#identity");
    const shared = await page.getByLabel("Link to this review").inputValue();
    assert.match(shared, /\/review\/[0-9a-f]{16}$/);
    await page.getByRole("link", { name: "Another game" }).click();
    await page.waitForSelector("textarea");
  });
  // The browser itself logs requests that were refused.
  await visit("/review", { allow: /status of 4\d\d/ }, async (page) => {
    await page.getByLabel("Paste a record").fill("this is no game");
    await page.getByRole("button", { name: "Review this game" }).click();
    await page.waitForSelector(".problem");
    await page.goto(`${base}/review/0123456789abcdef`);
    await page.waitForSelector(".problem");
    await page.getByRole("link", { name: "Another game" }).click();
    await page.waitForSelector("textarea");
  });
});

test("review: a long game shows progress, can be cancelled, and scrolls", async () => {
  await visit("/review", {}, async (page) => {
    const response = await page.request.post(`${base}/api/records`, { data: { record: careless(4, 4, 9) }, headers: { origin: base } });
    const { id } = await response.json();
    await page.goto(`${base}/review/${id}?budget=t1000`);
    await page.waitForSelector("progress");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForSelector("text=Cancelled");
    await page.goto(`${base}/review/${id}?agent=greedy`);
    await page.waitForSelector("#identity");
    const rows = await page.locator(".vrow").count();
    assert.ok(rows < 50, `${rows} rows exist`);
    await page.locator(".vlist").evaluate((node) => (node.scrollTop = node.scrollHeight));
    await until("the last row is there", async () => (await page.locator(".vrow").last().innerText()).length > 0);
  });
});

test("review: by touch on a phone", async () => {
  await visit("/review", { phone: true }, async (page) => {
    await paste(page, careless(2, 3, 5));
    await page.getByRole("button", { name: "next move", exact: true }).tap();
    await until("one further", async () => (await text(page, ".scores .score:nth-child(3) b")).startsWith("1 /"));
    await page.getByRole("button", { name: "Drill" }).tap();
    await page.getByRole("button", { name: "Show the answer" }).tap();
    await page.waitForSelector("#drill-title ~ .bars .top");
    await accessible(page);
  });
});

test("review: looks and access", async () => {
  await visit("/review", {}, async (page) => {
    await accessible(page);
    await paste(page, careless(2, 3, 5));
    await page.keyboard.press("n");
    await page.waitForSelector(".chart[data-ready='1'] canvas");
    await accessible(page);
    await looks(page.locator("section.main"), "review");
    await looks(page.locator("section[aria-labelledby=graph-title]"), "review-graph");
    await looks(page.locator("section[aria-labelledby=summary-title]"), "review-summary");
  });
  await visit("/review", { dark: true }, async (page) => {
    await paste(page, careless(2, 3, 5));
    await page.waitForSelector(".chart[data-ready='1'] canvas");
    await accessible(page);
  });
});
