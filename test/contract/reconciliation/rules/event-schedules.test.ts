import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { ruleListener } from "#modules/reconciliation/scheduler/listener.ts";
import { repairTimes } from "#modules/reconciliation/scheduler/repair.ts";
import { sweepRules } from "#modules/reconciliation/scheduler/sweep.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import type { Timestamp } from "#platform/time.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { acting, asAdministrator } from "#test/support/auth/takeover.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { dataOf, newLedger, time } from "#test/support/reconciliation/books.ts";
import {
  alertOf,
  createRule,
  RULES,
  scheduleOf,
  thresholdOf,
} from "#test/support/reconciliation/rules.ts";

const NOW = time("2026-03-04T10:00:00Z");
const LATER = time("2026-03-04T10:00:30Z");
const FAR = time("2030-03-04T10:00:00Z");
const TYPE = "ledger.committed_transactions";

const at = (now: Timestamp): ServiceContext => ({
  ...systemContext(env, "test"),
  clock: () => now,
});

interface Times {
  readonly next_at: string | null;
  readonly events_due_at: string | null;
  readonly events_taken_at: string | null;
}

const timesOf = (id: string) =>
  env.DB.prepare(
    "SELECT next_at, events_due_at, events_taken_at FROM reconciliation_rules WHERE id = ?",
  )
    .bind(id)
    .first<Times>();

const setTime = (id: string, column: keyof Times, value: string) =>
  env.DB.prepare(`UPDATE reconciliation_rules SET ${column} = ? WHERE id = ?`)
    .bind(value, id)
    .run();

const setSchedule = (id: string, body: object) => api(scheduleOf(id), { method: "PUT", body });

/** A rule that runs on transactions of a ledger. */
async function eventRule(ledger: string): Promise<string> {
  const { id } = await createRule(thresholdOf(ledger));
  await dataOf(await setSchedule(id, { kind: "events", types: [TYPE], debounce: "30s" }));
  return id;
}

/** Gives the event of a transaction to the listener as the queue does. */
async function deliver(ledger: string, now = NOW, more: object = {}): Promise<void> {
  const id = freshName("event");
  const sink = await ruleListener.open([], at(now));
  const event = {
    id,
    app: "ledger",
    version: "v2",
    type: "COMMITTED_TRANSACTIONS",
    date: now,
    idempotencyKey: "",
    payload: { ledger, ...more },
  };
  await sink?.([event], { source: "outbox", ids: [id] });
}

const arm = vi.fn<(atMs: number) => Promise<void>>(async () => undefined);

beforeEach(() => {
  // The clock object of the deployment runs sweeps by the machine's time, which these tests replace.
  arm.mockClear();
  vi.spyOn(env.CLOCK, "getByName").mockReturnValue({
    arm,
    watch: async () => undefined,
    start: async () => undefined,
  } as unknown as ReturnType<typeof env.CLOCK.getByName>);
});

test("a schedule on events that is written back as it is shown keeps the events that have come", async () => {
  const ledger = await newLedger();
  const id = await eventRule(ledger);
  await deliver(ledger);
  const shown = await dataOf(await api(scheduleOf(id)));
  expect(shown).toEqual({
    kind: "events",
    types: [TYPE],
    debounce: "30s",
    nextAt: "2026-03-04T10:00:30Z",
  });
  const body = { name: "other", schedule: { kind: "on_demand" } };
  await dataOf(await api(`${RULES}/${id}`, { method: "PATCH", body }));
  expect(await timesOf(id)).toMatchObject({ events_due_at: LATER });
  await dataOf(await setSchedule(id, { kind: "events", types: [TYPE], debounce: "30s" }));
  expect(await timesOf(id)).toMatchObject({ events_due_at: LATER });
  await dataOf(await setSchedule(id, { kind: "events", types: [TYPE], debounce: "31s" }));
  expect(await timesOf(id)).toMatchObject({ events_due_at: null });
});

test("a cron schedule that is written back keeps its due time", async () => {
  const schedule = { kind: "cron", expr: "0 * * * *" };
  const { id } = await createRule(thresholdOf("main", { schedule }));
  await setTime(id, "next_at", NOW);
  await dataOf(await api(`${RULES}/${id}`, { method: "PATCH", body: { schedule } }));
  expect(await timesOf(id)).toMatchObject({ next_at: NOW });
});

test("an event makes all rules due that run on it by one statement, and sets the clock once", async () => {
  const ledger = await newLedger();
  const ids = [await eventRule(ledger), await eventRule(ledger), await eventRule(ledger)];
  const [slow = ""] = ids;
  await dataOf(await setSchedule(slow, { kind: "events", types: [TYPE], debounce: "60s" }));
  arm.mockClear();
  const prepare = vi.spyOn(env.DB, "prepare");
  await deliver(ledger);
  const updates = prepare.mock.calls.filter(([text]) => /^\s*update/iu.test(text));
  prepare.mockRestore();
  expect(updates).toHaveLength(1);
  expect(arm.mock.calls).toEqual([[Date.parse(LATER)]]);
  const dues = await Promise.all(ids.map(async (id) => (await timesOf(id))?.events_due_at));
  expect(dues).toEqual([time("2026-03-04T10:01:00Z"), LATER, LATER]);
});

test("bookings of corrections make no rule due, and metadata that only pretends to be one does", async () => {
  const ledger = await newLedger();
  const correction = freshName("correction");
  await env.DB.prepare(
    `INSERT INTO reconciliation_corrections (id, matching_id, line, closes, kind, state, needs_approval, ledger, side, script, vars, note,
       idempotency_key, requested_by, transaction_id, created_at, updated_at)
     VALUES (?, 'm', 1, '[1]', 'correction', 'booked', 0, ?, 'right', '', '{}', '', '', '{}', '7', ?, ?)`,
  )
    .bind(correction, ledger, NOW, NOW)
    .run();
  const transaction = (id: number, name = correction) => ({
    id,
    metadata: { "florin/reconciliation/correction": name },
  });
  const id = await eventRule(ledger);
  await deliver(ledger, NOW, { transactions: [transaction(7)] });
  expect(await timesOf(id)).toMatchObject({ events_due_at: null });
  for (const transactions of [
    [transaction(8)],
    [transaction(7, "unknown")],
    [transaction(7), { id: 9, metadata: {} }],
  ]) {
    await setTime(id, "events_due_at", FAR);
    await deliver(ledger, NOW, { transactions });
    expect(await timesOf(id)).toMatchObject({ events_due_at: LATER });
  }
});

test("an event brings a rule forward whose due time was set while the clock was ahead", async () => {
  const ledger = await newLedger();
  const id = await eventRule(ledger);
  await setTime(id, "events_due_at", FAR);
  await deliver(ledger);
  expect(await timesOf(id)).toMatchObject({ events_due_at: LATER });
});

test.each(["events_due_at", "events_taken_at"] as const)(
  "a rule whose %s was set while the clock was ahead is due at once when times are repaired",
  async (column) => {
    const [wrong, right] = [await eventRule("main"), await eventRule("main")];
    await setTime(wrong, column, FAR);
    await setTime(right, column, LATER);
    await repairTimes(at(NOW));
    expect(await timesOf(wrong)).toMatchObject({ events_due_at: NOW, events_taken_at: null });
    expect(await timesOf(right)).toMatchObject({ [column]: LATER });
  },
);

test("a rule on events is changed and run only in the name of somebody who may read the events", async () => {
  const scopes = ["reconciliation:write", "ledger:read"];
  const [reader, other] = [
    await acting(await makeClient({ id: freshName("c"), scopes: [...scopes, "payments:read"] })),
    await acting(await makeClient({ id: freshName("c"), scopes })),
  ];
  const { id } = await createRule(thresholdOf(await newLedger()));
  const body = { kind: "events", types: ["payments.saved_payment"], debounce: "30s" };
  await dataOf(await reader.call(scheduleOf(id), { method: "PUT", body }));
  const rename = { method: "PATCH", body: { name: "other" } };
  expect((await other.call(`${RULES}/${id}`, rename)).status).toBe(401);
  expect((await reader.call(`${RULES}/${id}`, rename)).status).toBe(200);
  await asAdministrator(reader.id, { scopes });
  await setTime(id, "events_due_at", NOW);
  await sweepRules(at(LATER));
  expect(await alertOf(id)).toMatchObject({
    fingerprint: "engine.error",
    evidence: { error: expect.stringContaining("the scope payments:read") as unknown },
  });
});
