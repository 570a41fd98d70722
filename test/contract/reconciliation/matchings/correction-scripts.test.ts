import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { isUnfinished } from "#modules/reconciliation/corrections/store.ts";
import { reconciliationCorrections } from "#modules/reconciliation/corrections/tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { api } from "#test/support/platform/api.ts";
import { dataOf, failureOf, newLedger, pay } from "#test/support/reconciliation/books.ts";
import {
  breakPath,
  onlyBreak,
  type Suggestion,
  withMissing,
} from "#test/support/reconciliation/breaks.ts";
import { bankOf, newMatching } from "#test/support/reconciliation/matchings.ts";
import { newSource } from "#test/support/reconciliation/sources.ts";

test("a booking outside of the matching's period is refused", async () => {
  const matching = await newMatching({ period: { from: "2026-01-01", to: "2026-02-28" } });
  await matching.book(["left"], "missing", { amount: 250n });
  await matching.run();
  const path = `${breakPath(matching, await onlyBreak(matching, "left"))}/correction`;
  expect((await dataOf<Suggestion>(await api(path))).refusal).toContain("to 2026-02-28");
  for (const body of [{}, { timestamp: "2025-12-31T12:00:00Z" }])
    expect(await failureOf(await api(path, { body }))).toEqual([400, "VALIDATION"]);
  const body = { timestamp: "2026-02-28T12:00:00Z" };
  expect(await dataOf(await api(path, { body }), 201)).toMatchObject({ state: "booked" });
});

test("an account that is no address becomes no part of a script", async () => {
  const { matching, line } = await withMissing();
  const path = breakPath(matching, line);
  const more = "a\n)\nsend [EUR/2 1] (\n  source = @world\n  destination = @b";
  for (const body of [{ counter: more }, { counter: "a", account: more }])
    expect(await failureOf(await api(`${path}/write-off`, { body }))).toEqual([400, "VALIDATION"]);
  const query = new URLSearchParams({ account: more }).toString();
  expect(await failureOf(await api(`${path}/correction?${query}`))).toEqual([400, "VALIDATION"]);
});

test("members that belong to another kind of booking are refused, and so are unknown ones", async () => {
  const { matching, line } = await withMissing();
  const path = breakPath(matching, line);
  const script = "send [EUR/2 250] (\n  source = @world\n  destination = @bank\n)";
  for (const body of [
    { script, side: "right", account: "bank" },
    { vars: { a: "1" } },
    { side: "right" },
    { closes: [line.id] },
    { memo: "what" },
    { script: "x".repeat(100_001), side: "right" },
  ])
    expect(await failureOf(await api(`${path}/correction`, { body }))).toEqual([400, "VALIDATION"]);
  const unknown = { counter: "a", script };
  expect(await failureOf(await api(`${path}/write-off`, { body: unknown }))).toEqual([
    400,
    "VALIDATION",
  ]);
});

test("what is pending is found by its index", async () => {
  const plan = await databaseOf(env).all<{ detail: string }>(
    sql`EXPLAIN QUERY PLAN SELECT * FROM ${reconciliationCorrections} WHERE ${isUnfinished()} AND updated_at < ${"2026"}`,
  );
  expect(plan.map(({ detail }) => detail).join()).toContain("reconciliation_corrections_pending");
});

test("a booking that opens a break on the other side is refused", async () => {
  const ledger = await newLedger();
  const matching = await newMatching({
    leftSourceID: await bankOf(ledger),
    rightSourceID: (await newSource({ kind: "accounts", ledger, account: "clearing" })).id,
  });
  await pay(ledger, { to: "bank", amount: 250, asset: "EUR/2", timestamp: "2026-02-10T12:00:00Z" });
  await matching.run();
  const path = `${breakPath(matching, await onlyBreak(matching, "left"))}/correction`;
  const script = (to: string) => `send [EUR/2 250] (\n  source = @bank\n  destination = @${to}\n)`;
  const open = await api(path, { body: { script: script("clearing"), side: "left" } });
  expect(await failureOf(open)).toEqual([400, "VALIDATION"]);
  const closed = await api(path, { body: { script: script("suspense"), side: "left" } });
  expect(await dataOf(closed, 201)).toMatchObject({ state: "booked" });
});
