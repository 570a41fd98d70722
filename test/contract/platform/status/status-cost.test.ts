import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { systemContext } from "#platform/context.ts";
import { readStatus, statusSections } from "#platform/modules/status.ts";
import { MODULES } from "#src/modules.ts";
import { SWEEPS } from "#src/sweeps.ts";
import { countedBindings } from "#test/support/platform/counted-rows.ts";
import { TROUBLE } from "#test/support/platform/trouble.ts";

const SECTIONS = statusSections(
  MODULES,
  SWEEPS.map(({ name }) => name),
);

/** Reads the status; returns the text of each statement, and how many rows all of them have read. */
async function measured() {
  const texts: string[] = [];
  const { env: bindings, take } = countedBindings();
  const prepare = env.DB.prepare.bind(env.DB);
  const stub = vi.spyOn(env.DB, "prepare").mockImplementation((text) => {
    texts.push(text);
    return prepare(text);
  });
  const { sections } = await readStatus(systemContext(bindings, "test"), SECTIONS);
  stub.mockRestore();
  expect(sections.filter(({ state }) => state === "unknown")).toEqual([]);
  return { texts: [...new Set(texts)], sections, rows: take() };
}

/** Most rows that a scrape reads: 10,000 of each kind of work that waits, some of them through an index and the table. */
const ROWS_MAX = 100_000;

/** Fills D1 as in a large deployment in trouble. */
async function fill(): Promise<void> {
  for (const statement of TROUBLE) await env.DB.prepare(statement).run();
}

/** The plan of a statement, a step a line. */
async function planOf(text: string): Promise<string[]> {
  const values = Array.from({ length: text.split("?").length - 1 }, () => "x");
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

test("the cost of the status does not grow with the data", async () => {
  const { texts } = await measured();
  expect(texts.length).toBeGreaterThan(20);
  const sorted: string[] = [];
  for (const text of texts) {
    const plan = await planOf(text);
    // A sort reads all rows before it gives the first one.
    if (plan.some((step) => step.includes("TEMP B-TREE"))) sorted.push(text);
  }
  expect(sorted).toEqual([]);
  await fill();
  const { rows, sections } = await measured();
  expect(sections.filter(({ state }) => state !== "ok").length).toBeGreaterThan(7);
  expect(rows).toBeLessThan(ROWS_MAX);
  // Twice as many rows cost the same.
  await env.DB.exec(
    "INSERT INTO webhook_owed (config_id, revision, batch, created_at, due_at) SELECT config_id, 1, batch, created_at, due_at FROM webhook_owed",
  );
  expect((await measured()).rows).toBe(rows);
});
