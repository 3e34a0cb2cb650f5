import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, looks, swipe, text, until, visit } from "./harness.mjs";

const score = async (page) => Number((await text(page, "#score")).replace(/\D/g, ""));
const plies = async (page) => Number(await text(page, "#plies"));
const turn = (page) => text(page, "#turn");
const yours = (page) => until("it is my turn", async () => (await turn(page)).startsWith("Your turn"));
const cell = (page, row, col) => page.getByRole("button", { name: new RegExp(`^Row ${row}, column ${col}:`) });
const tileAt = async (page, row, col) => /: (\w+)/.exec(await cell(page, row, col).textContent())[1];
const results = (page) => page.locator(".results tbody tr");

/** Plays what the hints call best until the duel is over. */
async function playBest(page) {
  for (let n = 0; n < 300; n++) {
    await until("my turn with advice, or the end", async () => (await page.locator(".overlay").count()) > 0 || ((await turn(page)).startsWith("Your turn") && (await page.locator(".bars .top button").count()) > 0));
    if ((await page.locator(".overlay").count()) > 0) return;
    const before = await plies(page);
    await page.locator(".bars .top button").first().click();
    await until("the ply is played", async () => (await plies(page)) > before);
  }
  assert.fail("the duel does not end");
}

test("duel: defended best against perfect play, it ends as the verdict says", async () => {
  await visit("/duel?size=2x3&opponent=exact&seed=1&hints=1", {}, async (page) => {
    await until("the verdict", async () => (await text(page, "#verdict-start").catch(() => "")) === "40");
    assert.equal(await text(page, "#verdict-tile"), "16");
    await yours(page);
    // Arrows slide; one that changes nothing does nothing.
    const before = await plies(page);
    assert.equal(before, 2);
    await playBest(page);
    assert.equal(await score(page), 40);
    assert.equal(await text(page, "#verdict-end"), "40");
    await until("all plies judged", async () => /^(\d+) of \1 plies judged$/.test(await text(page, "#judged")));
    assert.deepEqual([await text(page, ".gift-attacker"), await text(page, ".gift-defender")], ["0", "0"]);
    assert.equal(await results(page).count(), 1);
    assert.deepEqual(await results(page).first().locator("td").allInnerTexts(), ["Defender", "perfect play", "2 or 4, free", "2×3", "40", "16"]);
    // The result survives a reload, and so does the duel; undo goes back to my own turn.
    await until("the address has the plies", () => page.url().includes("plies="));
    await page.reload();
    await page.waitForSelector(".overlay");
    assert.equal(await results(page).count(), 1);
    const end = await plies(page);
    await page.keyboard.press("u");
    await until("one turn back", async () => (await plies(page)) === end - 2);
    await yours(page);
    // A finished duel is opened again by its score, and reviewed like any game.
    await page.getByRole("link", { name: "Open the duel of 40 points" }).click();
    await page.waitForSelector(".overlay");
    await page.keyboard.press("v");
    await page.waitForURL(/\/review\/[0-9a-f]{16}/);
    await page.waitForSelector("#identity");
  });
});

test("duel: what was given away explains the score", async () => {
  await visit("/duel?size=2x3&opponent=depth1&seed=2", {}, async (page) => {
    await until("the verdict", async () => (await text(page, "#verdict-start").catch(() => "")) === "40");
    while ((await page.locator(".overlay").count()) === 0) {
      const before = await plies(page);
      for (const key of ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"]) await page.keyboard.press(key);
      await until("a slide and its answer, or my turn still", async () => (await page.locator(".overlay").count()) > 0 || (((await plies(page)) > before || before < 2) && (await turn(page)).startsWith("Your turn")));
    }
    await until("all plies judged", async () => /^(\d+) of \1 plies judged$/.test(await text(page, "#judged")));
    const given = async (side) => Number((await text(page, `.gift-${side}`)).replace(/,/g, ""));
    assert.equal(await score(page), 40 + (await given("attacker")) - (await given("defender")));
  });
});

test("duel: attacked by keyboard", async () => {
  await visit("/duel?role=attacker&seed=3", {}, async (page) => {
    await yours(page);
    assert.equal(await turn(page), "Your turn: place a 2 or a 4.");
    // The first arrow goes to the first empty cell; then they lead from cell to cell.
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await until("a 2 in the corner", async () => (await tileAt(page, 1, 1)) === "2");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+Enter");
    await until("the program has answered", async () => (await plies(page)) === 3);
    await yours(page);
    const tiles = (await page.getAttribute(".field", "aria-label")).match(/\d+/g).sort();
    assert.deepEqual(tiles, ["2", "4"]);
    // A cell with a tile takes no other.
    const taken = page.locator(".placing button[tabindex='-1']").first();
    await taken.focus();
    await page.keyboard.press("4");
    assert.equal(await plies(page), 3);
    await page.locator(".placing button.free").first().focus();
    await page.keyboard.press("4");
    await until("the program has answered again", async () => (await plies(page)) === 5);
    await page.keyboard.press("u");
    await until("undone", async () => (await plies(page)) === 3);
    // The numbers of other pages still lead there while nobody attacks.
    await page.keyboard.press("x");
    await until("the program attacks", async () => (await turn(page)) === "Your turn: slide.");
    await page.keyboard.press("u");
    await until("the duel before is back", async () => (await turn(page)) === "Your turn: place a 2 or a 4.");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open] >> text=place a 4");
    await page.keyboard.press("Escape");
  });
});

test("duel: attacked by mouse, with hints, to the exact end", async () => {
  await visit("/duel?role=attacker&size=2x2&opponent=exact&seed=1&hints=1", {}, async (page) => {
    await until("the verdict", async () => (await text(page, "#verdict-start").catch(() => "")) === "8");
    await page.waitForSelector(".placing .best .worth");
    assert.equal(await text(page, ".badge"), "exact");
    await playBest(page);
    assert.deepEqual([await score(page), await text(page, "#verdict-end")], [8, "8"]);
    assert.deepEqual(await results(page).first().locator("td").allInnerTexts(), ["Attacker", "perfect play", "2 or 4, free", "2×2", "8", "8"]);
    await page.locator(".overlay").getByRole("button", { name: "New duel" }).click();
    await cell(page, 1, 1).click({ button: "right" });
    await until("a 4", async () => (await tileAt(page, 1, 1)) === "4");
    // The other tile on a plain click, for those without a right button.
    await page.getByRole("group", { name: "A click places" }).getByRole("button", { name: "4" }).click();
    await cell(page, 2, 2).click();
    await until("the program has answered", async () => (await plies(page)) >= 3);
    assert.match(await page.getAttribute(".field", "aria-label"), /^Board: ((4|empty) ?,? ?)+$/);
    await page.getByRole("button", { name: "Forget them" }).click();
    await page.waitForSelector("text=No duel is finished yet.");
  });
});

test("duel: variants, opponents, the dial and two people", async () => {
  await visit("/duel?role=attacker&variant=drawn&seed=7&size=3x3", {}, async (page) => {
    await yours(page);
    assert.equal(await turn(page), "Your turn: place the 2.");
    await page.getByRole("combobox", { name: "Tiles" }).selectOption("twos");
    await until("another duel", () => page.url().includes("variant=twos"));
    await page.getByRole("combobox", { name: "You play" }).selectOption("defender");
    await page.getByRole("combobox", { name: "Opponent" }).selectOption("chance");
    await yours(page);
    await page.getByRole("slider").fill("35");
    await until("the dial is in the address", () => page.url().includes("hostility=0.35"));
    assert.match(await text(page, "label.slider"), /Hostility: 35 %/);
    await page.getByRole("slider").fill("0");
    await page.locator("main").focus();
    for (let n = 0; n < 4; n++) {
      const before = await plies(page);
      for (const key of ["ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
      await until("chance has answered", async () => (await plies(page)) > before && (await turn(page)).startsWith("Your turn"));
    }
    await page.waitForSelector("text=The last tile fell by chance.");
    await page.getByRole("combobox", { name: "You play" }).selectOption("both");
    await until("both sides are mine", async () => (await turn(page)) === "Attacker: place the 2.");
    await cell(page, 1, 1).click();
    await cell(page, 1, 2).click();
    await until("the defender's turn", async () => (await turn(page)) === "Defender: slide.");
    await page.keyboard.press("ArrowLeft");
    await until("the attacker's turn", async () => (await turn(page)) === "Attacker: place the 2.");
    assert.equal(await score(page), 4);
  });
});

test("duel: what is not known is said, and can be found out on small boards", async () => {
  await visit("/duel?seed=1&hints=1", {}, async (page) => {
    await page.waitForSelector("text=No exact verdict: 4×4 has too many positions");
    await yours(page);
    await page.waitForSelector(".bars .top");
    assert.match(await text(page, ".badge"), /^estimate · alphabeta\(depth=5\)/);
    await page.getByRole("combobox", { name: "Board" }).selectOption("2x4");
    await page.waitForSelector("text=No exact verdict yet");
    await page.getByRole("button", { name: "Solve it" }).click();
    await page.waitForSelector("#verdict-start", { timeout: 240_000 });
    await until("the duel is known exactly", async () => (await text(page, "#verdict-here")) !== "–");
    await until("advice is exact", async () => (await text(page, "section[aria-labelledby=values-title] .badge")) === "exact");
  });
  // An opponent who is none: one sentence, and the page goes on.
  await visit("/duel?seed=1&opponent=nobody", { allow: /400/ }, async (page) => {
    await page.waitForSelector("[role=alert]");
    await page.getByRole("combobox", { name: "Opponent" }).selectOption("greedy");
    await yours(page);
    assert.equal(await page.locator("[role=alert]").count(), 0);
  });
});

test("duel: by touch on a phone", async () => {
  await visit("/duel?seed=7", { phone: true }, async (page) => {
    await yours(page);
    const before = await plies(page);
    for (const [dx, dy] of [[-60, 0], [60, 0], [0, -60], [0, 60]]) {
      await swipe(page, ".board", dx, dy);
      await page.waitForTimeout(50);
      if ((await plies(page)) > before) break;
    }
    await until("a slide and its answer", async () => (await plies(page)) === before + 2);
    await accessible(page);
    await page.getByRole("button", { name: "Swap sides" }).tap();
    await yours(page);
    await cell(page, 1, 1).tap();
    await until("a tap is a 2", async () => (await tileAt(page, 1, 1)) === "2");
    await press(page, ".placing [data-cell='15']", 700);
    await until("the program has answered", async () => (await plies(page)) === 3);
    assert.match(await page.getAttribute(".field", "aria-label"), /4/);
    await accessible(page);
  });
});

/** A finger that stays. */
async function press(page, selector, ms) {
  const box = await page.locator(selector).boundingBox();
  const client = await page.context().newCDPSession(page);
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  await page.waitForTimeout(ms);
  await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await client.detach();
}

/** A duel in the middle: exact hints for the attacker, then for the defender. */
const ATTACK = "/duel?role=attacker&size=2x3&opponent=exact&seed=1&hints=1&plies=VB0F2R1A1";
const DEFEND = "/duel?seed=7&hints=1&hostility=0.5";

test("duel: looks and access, light and dark", async () => {
  for (const dark of [false, true]) {
    await visit(ATTACK, { dark }, async (page) => {
      await yours(page);
      await page.waitForSelector(".placing .best .worth");
      await until("all plies judged", async () => /^(\d+) of \1 plies judged$/.test(await text(page, "#judged")));
      await accessible(page);
      await looks(page.locator("section.main"), dark ? "duel-dark" : "duel");
      if (!dark) await looks(page.locator("section[aria-labelledby=values-title]"), "duel-values");
      if (!dark) await looks(page.locator("section[aria-labelledby=verdict-title]"), "duel-verdict");
    });
  }
  await visit(DEFEND, { dark: true }, async (page) => {
    await yours(page);
    await page.waitForSelector(".bars .top");
    await accessible(page);
  });
  await visit(ATTACK, { phone: true }, async (page) => {
    await yours(page);
    await page.waitForSelector(".placing .best .worth");
    await until("all plies judged", async () => /^(\d+) of \1 plies judged$/.test(await text(page, "#judged")));
    await looks(page.locator("section.main"), "duel-phone");
  });
});
