import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HumanSummary } from "../src/core/human/schema.ts";
import { CHROMIUM, LAUNCH, LOW_CONTRAST, NO_CHROMIUM } from "./support/chromium.ts";
import { evalkit } from "./support/in-process.ts";
import { tempDir } from "./support/project.ts";
import { allTrials, type TrialSpec, writeRun } from "./support/sheet-run.ts";
import { readKey, readRows, readScoreRows, writeRows } from "./support/sheets.ts";

if (CHROMIUM === undefined) console.warn(NO_CHROMIUM);

async function exported(specs: readonly TrialSpec[], ...flags: string[]) {
  const dir = tempDir();
  const run = await writeRun(dir, specs);
  const made = await evalkit(dir, "sheet", "export", "latest", "--out", "sheets", "--seed", "1", ...flags);
  expect(made.code).toBe(0);
  const file = join(dir, "sheets", "sheet-ann.html");
  return {
    dir,
    run,
    file,
    url: `file://${file}`,
    csv: join(dir, "sheets", "sheet-ann.csv"),
    key: readKey(join(dir, "sheets")),
  };
}

/** Everything that the page complains of or asks the network for: must stay empty. */
function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => /^https?:/.test(request.url()) && faults.push(request.url()));
  return faults;
}

const text = (page: Page, selector: string) => page.locator(selector).textContent();

async function download(page: Page, to: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator("#export").click()]);
  await file.saveAs(to);
  return file.suggestedFilename();
}

describe.skipIf(CHROMIUM === undefined)("the HTML sheet in Chromium", () => {
  const profile = mkdtempSync(join(tmpdir(), "evalkit-profile-"));
  let browser: BrowserContext;
  // A profile on disk, as a rater has one: what is kept must outlive the window.
  const open = () =>
    chromium.launchPersistentContext(profile, {
      ...LAUNCH,
      acceptDownloads: true,
      viewport: { width: 1400, height: 900 },
    });
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  });

  test("scored by keyboard alone, closed and reopened, exported, imported", async () => {
    const w = await exported(allTrials(3, 1), "--raters", "ann", "--repeat", "0");
    let page = await browser.newPage();
    const faults = watch(page);
    await page.goto(w.url);
    expect(await text(page, "#count")).toBe("0 of 6 done");
    for (const key of ["5", "4", "x", "n"]) await page.keyboard.press(key);
    await page.keyboard.type('=odd "note", 5 of 5; x');
    await page.keyboard.press("Escape");
    expect(await text(page, "#count")).toBe("1 of 6 done");
    await page.keyboard.press("Enter");
    expect(await text(page, "#heading")).toBe("Item 2 of 6");
    // A slip, taken back; then another way through the dimensions.
    await page.keyboard.press("1");
    await page.keyboard.press("u");
    expect(await page.locator('[aria-pressed="true"]').count()).toBe(0);
    for (const key of ["ArrowDown", "ArrowDown", "2", "ArrowUp", "ArrowUp", "3", "4"])
      await page.keyboard.press(key);
    expect(await text(page, "#count")).toBe("2 of 6 done");
    await page.keyboard.press("a");
    expect(await page.locator("details[open] pre").textContent()).toContain("1. read_file");

    await browser.close();
    browser = await open();
    page = await browser.newPage();
    faults.push(...watch(page));
    await page.goto(w.url);
    expect(await text(page, "#count")).toBe("2 of 6 done");
    expect(await text(page, "#heading")).toBe("Item 2 of 6");
    for (let item = 3; item <= 6; item += 1) {
      await page.keyboard.press("Enter");
      for (const key of ["5", "5", "5"]) await page.keyboard.press(key);
    }
    expect(await text(page, "#count")).toBe("6 of 6 done");
    await page.keyboard.press("Enter");
    expect(await text(page, "#status")).toContain("All 6 items are scored");
    const saved = join(w.dir, "sheet-ann.csv");
    // Enter goes to Export once all is done: a keyboard is enough to the end.
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(file.suggestedFilename()).toBe("sheet-ann.csv");
    await file.saveAs(saved);
    await page.close();
    expect(faults).toEqual([]);

    const imported = await evalkit(w.dir, "sheet", "import", "latest", saved, "--key", "sheets/key.json");
    expect(imported).toMatchObject({ code: 0, err: "" });
    const rows = readScoreRows(w.dir, w.run);
    expect(rows[0]).toMatchObject({
      accuracy: 5,
      completeness: 4,
      safety: "x",
      note: '=odd "note", 5 of 5; x',
    });
    expect(rows[1]).toMatchObject({ accuracy: 3, completeness: 4, safety: 2 });
    expect(rows.slice(2).every((row) => row.accuracy === 5 && row.safety === 5)).toBe(true);
    const summary = JSON.parse(readFileSync(join(w.dir, "reports", w.run, "summary.json"), "utf8"));
    expect(HumanSummary.parse(summary.human)).toMatchObject({
      raters: 1,
      scored: 6,
      missing: 0,
      cannotJudge: 1,
    });
  });

  test("scored by mouse; the exported file is the CSV sheet with scores, and goes on in another browser", async () => {
    const w = await exported(allTrials(2, 1), "--raters", "ann", "--repeat", "0");
    const page = await browser.newPage();
    const faults = watch(page);
    await page.goto(w.url);
    const click = (field: string, value: string) =>
      page.click(`fieldset[data-field=${field}] [data-value="${value}"]`);
    await click("accuracy", "2");
    await click("safety", "1");
    await page.fill("#note", "two\nlines");
    expect(await text(page, "#count")).toBe("0 of 4 done");
    await click("completeness", "3");
    expect(await text(page, "#count")).toBe("1 of 4 done");
    await page.click("#next");
    await click("accuracy", "4");
    await page.click("#undo");
    await page.click("#back");
    expect(await page.inputValue("#note")).toBe("two\nlines");
    await page.selectOption("#jump", "3");
    expect(await text(page, "#heading")).toBe("Item 4 of 4");
    const saved = join(w.dir, "saved.csv");
    expect(await download(page, saved)).toBe("sheet-ann.csv");
    const blank = readRows(w.csv);
    const rows = readRows(saved);
    const given = { accuracy: "2", completeness: "3", safety: "1", note: "two\nlines" };
    expect(rows).toEqual(blank.map((row, at) => (at === 0 ? { ...row, ...given } : row)));
    await page.close();

    const elsewhere = await chromium.launch(LAUNCH);
    const other = await elsewhere.newPage();
    faults.push(...watch(other));
    await other.goto(w.url);
    expect(await text(other, "#count")).toBe("0 of 4 done");
    await other.setInputFiles("#file", saved);
    await other.getByText("1 of 4 done").waitFor();
    expect(await other.inputValue("#note")).toBe("two\nlines");
    const again = join(w.dir, "again.csv");
    await download(other, again);
    expect(readFileSync(again)).toEqual(readFileSync(saved));
    await elsewhere.close();
    expect(faults).toEqual([]);
  });

  test("what the agent did stays folded or open from item to item; a file that is none of this sheet's is told", async () => {
    const w = await exported(allTrials(2, 1), "--raters", "ann", "--repeat", "0");
    const page = await browser.newPage();
    const faults = watch(page);
    const open = () => page.locator("details[open]").count();
    await page.goto(w.url);
    expect(await open()).toBe(0);
    await page.keyboard.press("a");
    await page.keyboard.press("ArrowRight");
    expect(await open()).toBe(1);
    await page.reload();
    expect(await open()).toBe(1);
    await page.click("summary");
    await page.keyboard.press("ArrowRight");
    expect(await open()).toBe(0);
    await page.setInputFiles("#file", join(w.dir, "sheets", "key.json"));
    await page.getByText("key.json holds no item of this sheet").waitFor();
    const [first, second] = readRows(w.csv);
    const rows = [
      { ...first, accuracy: "4,0", completeness: "4.5", safety: "X" },
      { ...second, accuracy: "good" },
    ];
    writeRows(join(w.dir, "half.csv"), rows);
    await page.setInputFiles("#file", join(w.dir, "half.csv"));
    await page
      .getByText("Loaded 2 entries from half.csv. 2 scores could not be read and are left open.")
      .waitFor();
    expect(await page.locator("#notice").isVisible()).toBe(false);
    writeRows(join(w.dir, "moved.csv"), [{ ...first, accuracy: "3", completeness: "2", safety: "1" }]);
    const moved = readFileSync(join(w.dir, "moved.csv"), "utf8").replace(",3,2,1,", ",,3,2,1,");
    writeFileSync(join(w.dir, "moved.csv"), moved);
    await page.setInputFiles("#file", join(w.dir, "moved.csv"));
    await page.getByText("Loaded 0 entries from moved.csv. 1 rows have cells too many or too few").waitFor();
    await page.close();
    expect(faults).toEqual([]);
  });

  test("pairs: left, tie, right, and nothing that tells the arms", async () => {
    const w = await exported(allTrials(3, 1), "--raters", "ann", "--kind", "pair", "--repeat", "0");
    const page = await browser.newPage();
    const faults = watch(page);
    await page.goto(w.url);
    for (const key of ["1", "Enter", "2", "Enter", "3"]) await page.keyboard.press(key);
    expect(await text(page, "#count")).toBe("3 of 3 done");
    expect(await page.locator(".sides section").count()).toBe(2);
    const saved = join(w.dir, "sheet-ann.csv");
    await download(page, saved);
    expect(readRows(saved).map((row) => row.preferred)).toEqual(["left", "tie", "right"]);
    await page.close();
    expect(faults).toEqual([]);
    expect((await evalkit(w.dir, "sheet", "import", "latest", saved, "--key", "sheets/key.json")).code).toBe(
      0,
    );
    const first = w.key.items[readRows(saved)[0]?.item ?? ""];
    const row = readScoreRows(w.dir, w.run).find((one) => one.case === first?.case);
    expect(row?.preferred).toBe(first !== undefined && "left" in first ? first.left : null);
  });

  test("texts of a run are text: no markup, no script, no way out of the page's data", async () => {
    const attack = '</script><img src=x onerror="document.title=1"><b>"&\'</b> <!-- \u2028 `';
    const specs = allTrials(1, 1).map((spec) => ({
      ...spec,
      case: 'x" onmouseover="document.title=1',
      answer: attack,
    }));
    const w = await exported(specs, "--raters", "ann");
    const page = await browser.newPage();
    const faults = watch(page);
    await page.goto(w.url);
    expect(await page.title()).toBe("Scoring sheet (ann)");
    expect(await page.locator("#outputs section .text").textContent()).toBe(attack);
    expect(await page.locator("#item img, #item b").count()).toBe(0);
    await page.close();
    expect(faults).toEqual([]);
  });

  test("a browser that keeps nothing is warned about; two sheets never mix", async () => {
    const [a, b] = [
      await exported(allTrials(2, 1), "--raters", "ann"),
      await exported(allTrials(3, 1), "--raters", "ann"),
    ];
    const page = await browser.newPage();
    await page.goto(a.url);
    for (const key of ["5", "5", "5"]) await page.keyboard.press(key);
    await page.goto(b.url);
    expect(await text(page, "#count")).toMatch(/^0 of/);
    expect(await page.locator("#notice").isVisible()).toBe(false);
    await page.addInitScript(
      "Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })",
    );
    await page.goto(a.url);
    expect(await page.locator("#notice").textContent()).toContain(
      "Export the CSV before you close this page",
    );
    await page.close();
  });

  test("usable: labelled, reachable by Tab, without sideways scrolling at 200 % zoom, readable in both schemes", async () => {
    const w = await exported(
      allTrials(2, 1).map((spec) => ({ ...spec, answer: "long".repeat(400) })),
      "--raters",
      "ann",
    );
    const page = await browser.newPage();
    await page.goto(w.url);
    for (const role of ["button", "textbox", "combobox"] as const) {
      for (const one of await page.getByRole(role).all()) {
        expect(
          await one.evaluate((node) => (node.ariaLabel ?? node.textContent ?? "").trim() || node.id),
        ).not.toBe("");
      }
    }
    expect(await page.getByRole("textbox", { name: "Note" }).count()).toBe(1);
    expect(await page.getByRole("group", { name: /Accuracy/ }).count()).toBe(1);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("skip");
    for (const width of [1400, 700, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    }
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.keyboard.press("Escape");
      const low = await page.evaluate(LOW_CONTRAST);
      expect({ colorScheme, low }).toEqual({ colorScheme, low: [] });
    }
    await page.close();
  });
});
