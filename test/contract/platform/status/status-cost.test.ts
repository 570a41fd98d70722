import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { systemContext } from "#platform/context.ts";
import { readStatus, statusSections } from "#platform/modules/status.ts";
import { MODULES } from "#src/modules.ts";
import { SWEEPS } from "#src/sweeps.ts";
import { countedBindings } from "#test/support/platform/counted-rows.ts";

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

/** Rows `1` to `count`, as a common table expression. */
const NUMBERS = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

/** Fills D1 as in a large deployment in trouble: 10,000 ledgers, 500 endpoints, and more waiting work than is counted. */
async function fill(): Promise<void> {
  const at = "strftime('%Y-%m-%dT%H:%M:%f', 'now', '-' || i || ' seconds') || '000Z'";
  const statements = [
    `INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at) ${NUMBERS(10_000)}
     SELECT 'u' || i, 'l' || i, 'b', '{}', '{}', ${at} FROM n`,
    `INSERT INTO object_backlogs ${NUMBERS(10_000)} SELECT 'ledger-events', 'l' || i, 1, i, 'r', i FROM n`,
    `INSERT INTO object_backlogs ${NUMBERS(500)} SELECT 'webhook-deliveries', 'c' || i, 1, i, 'r', i FROM n`,
    `INSERT INTO storage_sizes (name, bytes, measured_ms, day_bytes, day_ms) ${NUMBERS(10_000)}
     SELECT 'ledger/l' || i, 500000000 + i, i, 1, 1 FROM n`,
    `INSERT INTO webhook_configs (id, endpoint, secret, event_types, name, active, has_failed, created_at, updated_at) ${NUMBERS(500)}
     SELECT 'c' || i, 'https://hook.example.com', 's', '[]', '', 0, 1, ${at}, ${at} FROM n`,
    `INSERT INTO webhook_owed (config_id, revision, batch, created_at, due_at) ${NUMBERS(20_000)}
     SELECT 'c' || (i % 500), 1, '{}', ${at}, ${at} FROM n`,
    `INSERT INTO outbox (id, event, attempts, announce_at) ${NUMBERS(20_000)}
     SELECT 'e' || i, '{"date":"2026-01-01T00:00:00Z"}', 9, '2100-01-01T00:00:00.000000Z' FROM n`,
    `INSERT INTO orchestration_instances
       (id, workflow_key, variables, principal, created_at, updated_at, stage, run, round, due_at, change_id, state, hold) ${NUMBERS(50_000)}
     SELECT 'i' || i, 1, '{}', '{}', ${at}, ${at}, 0, 1, 1, iif(i % 2, ${at}, NULL), 'x',
       iif(i % 2, 'stuck', NULL), iif(i % 2, '{"since":"2026-01-01T00:00:00.000000Z"}', NULL) FROM n`,
    `INSERT INTO wallet_hold_expiries (ledger, hold_id, due_at, asked_at, attempts) ${NUMBERS(20_000)}
     SELECT 'w', 'h' || i, ${at}, ${at}, i % 2 FROM n`,
    `INSERT INTO payment_schedules (connector_key, task, created_at, next_at) ${NUMBERS(2000)}
     SELECT i / 5, 't' || i, ${at}, ${at} FROM n`,
    `INSERT INTO payment_connectors
       (key, provider, reference, name, config, polling_period_ms, created_at, health, health_since) ${NUMBERS(400)}
     SELECT i, 'stripe', 'r' || i, 'n' || i, '', 1, ${at}, 'failing', ${at} FROM n`,
  ];
  for (const statement of statements) await env.DB.prepare(statement).run();
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
