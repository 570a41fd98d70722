import type { Page } from "playwright-core";
import { LEDGER } from "./books.ts";
import { settle, type Visit } from "./window.ts";

/** Screens of rows that a visit scrolls through. */
const SCREENS = 60;

/** The pages of the console that show lists of the ledger, and what a person does there. */
export const VISITS: readonly Visit[] = [
  { path: "/ledgers", ready: "[role=gridcell]", act: moveByKeys },
  {
    path: `/ledgers/${LEDGER}/transactions`,
    ready: "[role=gridcell]",
    act: async (page) => {
      await moveByKeys(page);
      await filter(page, "account:bank:settlement");
      await openRows(page);
    },
  },
  {
    path: `/ledgers/${LEDGER}/accounts`,
    ready: "[role=gridcell]",
    act: async (page) => {
      await moveByKeys(page);
      await filter(page, "address:users:");
    },
  },
  { path: `/ledgers/${LEDGER}/overview`, ready: "[role=img]", act: settle },
  { path: `/ledgers/${LEDGER}/tree`, ready: "[role=row]", act: openLevels },
  { path: `/ledgers/${LEDGER}/logs`, ready: "[role=gridcell]", act: moveByKeys },
  {
    path: `/ledgers/${LEDGER}/accounts/bank:settlement`,
    ready: "[role=img]",
    act: moveByKeys,
  },
];

/** Scrolls through a list by keys and by the wheel, past many pages. */
async function moveByKeys(page: Page): Promise<void> {
  const grid = page.getByRole("grid").first();
  await grid.focus();
  for (let screen = 0; screen < SCREENS; screen += 1) {
    await page.keyboard.press(screen % 4 === 0 ? "j" : "PageDown");
    await page.mouse.wheel(0, 300);
  }
}

/** Opens two levels of the tree, and moves through their segments. */
async function openLevels(page: Page): Promise<void> {
  await page.getByRole("treegrid").first().focus();
  for (const key of ["ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight"]) {
    await page.keyboard.press(key);
    await settle(page);
  }
  for (let row = 0; row < SCREENS; row += 1) await page.keyboard.press("ArrowDown");
}

async function filter(page: Page, text: string): Promise<void> {
  await page.getByRole("combobox").first().click();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  await settle(page);
}

/** Opens some rows in the panel beside the list, and closes it. */
async function openRows(page: Page): Promise<void> {
  const grid = page.getByRole("grid").first();
  await grid.focus();
  for (let row = 0; row < 10; row += 1) {
    for (const key of ["j", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("complementary").first().waitFor();
  }
  await page.keyboard.press("Escape");
}
