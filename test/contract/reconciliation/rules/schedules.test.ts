import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ruleListener } from "#modules/reconciliation/scheduler/listener.ts";
import { repairTimes } from "#modules/reconciliation/scheduler/repair.ts";
import { sweepRules } from "#modules/reconciliation/scheduler/sweep.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { fromMillis, type Timestamp } from "#platform/time.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { freshPerson } from "#test/support/auth/logins.ts";
import {
  acting,
  actingPerson,
  asAdministrator,
  setScopes,
  USERS,
} from "#test/support/auth/takeover.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import {
  dataOf,
  filtered,
  newLedger,
  pageOf,
  pay,
  time,
} from "#test/support/reconciliation/books.ts";
import {
  alertOf,
  alertsOf,
  createRule,
  evaluateNow,
  type EvaluationBody,
  failingRule,
  RULES,
  scheduleOf,
  settle,
  thresholdOf,
} from "#test/support/reconciliation/rules.ts";

const system = systemContext(env, "test");

/** A context whose clock shows a time. */
const at = (now: Timestamp): ServiceContext => ({ ...system, clock: () => now });

const evaluationsOf = async (ruleID: string): Promise<EvaluationBody[]> =>
  (await pageOf<EvaluationBody>(await api(filtered("/evaluations", { $match: { ruleID } })))).data;

interface ScheduleRow {
  readonly schedule: string | null;
  readonly next_at: Timestamp | null;
  readonly events_due_at: Timestamp | null;
  readonly events_taken_at: Timestamp | null;
  readonly lock_until: Timestamp | null;
}

async function rowOf(id: string): Promise<ScheduleRow> {
  const row = await env.DB.prepare("SELECT * FROM reconciliation_rules WHERE id = ?")
    .bind(id)
    .first<ScheduleRow>();
  if (row === null) throw new Error("there is no such rule");
  return row;
}

const setRow = (id: string, column: keyof ScheduleRow, value: string | null) =>
  env.DB.prepare(`UPDATE reconciliation_rules SET ${column} = ? WHERE id = ?`)
    .bind(value, id)
    .run();

const HOURLY = { kind: "cron", expr: "0 * * * *", safetyMargin: "0s" };
const DUE = time("2026-03-04T10:00:00Z");

/** A rule with an hourly schedule that is due at `DUE`, whose user is in debt. */
async function dueRule(fields: object = {}): Promise<{ id: string; ledger: string }> {
  const rule = await failingRule({ schedule: HOURLY, ...fields });
  await setRow(rule.id, "next_at", DUE);
  return rule;
}

beforeEach(async () => {
  // Rules of earlier tests must not run in the sweeps of this one.
  await env.DB.prepare(
    "UPDATE reconciliation_rules SET next_at = NULL, events_due_at = NULL, events_taken_at = NULL, event_types = NULL",
  ).run();
  // The clock object of the deployment runs sweeps by the machine's time, which these tests replace.
  vi.spyOn(env.CLOCK, "getByName").mockReturnValue({
    arm: async () => undefined,
    watch: async () => undefined,
    start: async () => undefined,
  } as unknown as ReturnType<typeof env.CLOCK.getByName>);
});

describe("cron schedules", () => {
  test("a cron schedule has its next time when it is set, and none while the rule is disabled", async () => {
    const { id } = await createRule(thresholdOf("main", { schedule: HOURLY }));
    const first = (await rowOf(id)).next_at;
    expect(first?.slice(13)).toBe(":00:00.000000Z");
    const patch = (body: object) => api(`${RULES}/${id}`, { method: "PATCH", body });
    const shown = { ...HOURLY, nextAt: first?.replace(".000000Z", "Z") };
    expect(await dataOf(await api(scheduleOf(id)))).toEqual(shown);
    await dataOf(await patch({ enabled: false }));
    expect((await rowOf(id)).next_at).toBeNull();
    expect(await dataOf(await api(scheduleOf(id)))).toEqual(HOURLY);
    await dataOf(await patch({ enabled: true }));
    expect((await rowOf(id)).next_at).toBe(first);
    await dataOf(await patch({ schedule: { kind: "on_demand" } }));
    expect((await rowOf(id)).next_at).toBeNull();
  });

  test("a cron schedule runs the rule at its time, as of now less its margin, and goes on to the next time", async () => {
    const { id } = await dueRule({ schedule: { ...HOURLY, safetyMargin: "1m" } });
    const now = time("2026-03-04T10:00:00.250Z");
    const next = await sweepRules(at(now));
    expect(next).toBe(Date.parse("2026-03-04T11:00:00Z"));
    const [evaluation] = await evaluationsOf(id);
    expect(evaluation).toMatchObject({
      result: "PASS",
      startedAt: "2026-03-04T10:00:00.25Z",
      run: { kind: "cron", dueAt: "2026-03-04T10:00:00Z", due: 1, late: false },
    });
    expect(Object.values(evaluation?.pitPerSource ?? {})).toEqual(["2026-03-04T09:59:00.25Z"]);
    expect((await rowOf(id)).next_at).toBe(time("2026-03-04T11:00:00Z"));
    await sweepRules(at(now));
    expect(await evaluationsOf(id)).toHaveLength(1);
  });

  test("times that were missed are answered by one run, which is late and says so", async () => {
    const { id } = await dueRule();
    await sweepRules(at(time("2026-03-04T13:20:00Z")));
    const evaluations = await evaluationsOf(id);
    expect(evaluations.map(({ run }) => run)).toEqual([
      { kind: "cron", dueAt: "2026-03-04T13:00:00Z", due: 4, late: true },
    ]);
    expect(Object.values(evaluations[0]?.pitPerSource ?? {})).toEqual(["2026-03-04T13:20:00Z"]);
    expect((await rowOf(id)).next_at).toBe(time("2026-03-04T14:00:00Z"));
  });

  test("a late run of a rule with periods reads as of its time, and belongs to the period of this time", async () => {
    const { id } = await dueRule({ cadence: "daily" });
    await setRow(id, "next_at", time("2026-11-26T23:00:00Z"));
    await env.DB.prepare("UPDATE reconciliation_rules SET schedule = ? WHERE id = ?")
      .bind(JSON.stringify({ kind: "cron", expr: "0 23 * * *", safetyMargin: "0s" }), id)
      .run();
    await sweepRules(at(time("2026-11-27T02:00:00Z")));
    const [evaluation] = await evaluationsOf(id);
    expect(evaluation?.run).toMatchObject({ late: true, due: 1 });
    expect(Object.values(evaluation?.pitPerSource ?? {})).toEqual(["2026-11-26T23:00:00Z"]);
  });

  test("a clock that steps back brings no time about twice", async () => {
    const { id } = await dueRule();
    await sweepRules(at(time("2026-03-04T10:00:01Z")));
    await sweepRules(at(time("2026-03-04T09:59:59Z")));
    expect(await evaluationsOf(id)).toHaveLength(1);
    expect((await rowOf(id)).next_at).toBe(time("2026-03-04T11:00:00Z"));
  });

  test("a time that was set while the clock was ahead is set anew, and others stay", async () => {
    const [wrong, right] = [await dueRule(), await dueRule()];
    await setRow(wrong.id, "next_at", time("2027-03-04T10:00:00Z"));
    await setRow(right.id, "next_at", time("2026-03-04T11:00:00Z"));
    await repairTimes(at(time("2026-03-04T09:30:00Z")));
    expect((await rowOf(wrong.id)).next_at).toBe(DUE);
    expect((await rowOf(right.id)).next_at).toBe(time("2026-03-04T11:00:00Z"));
  });

  test("two sweeps at once run a rule once", async () => {
    const { id } = await dueRule();
    const now = time("2026-03-04T10:00:01Z");
    await Promise.all([sweepRules(at(now)), sweepRules(at(now)), sweepRules(at(now))]);
    expect(await evaluationsOf(id)).toHaveLength(1);
  });

  test("a run that was killed is repeated when its lock has ended", async () => {
    const { id } = await dueRule();
    const now = time("2026-03-04T10:00:01Z");
    await setRow(id, "lock_until", time("2026-03-04T10:01:00Z"));
    expect(await sweepRules(at(now))).toBe(Date.parse("2026-03-04T10:00:03Z"));
    expect(await evaluationsOf(id)).toEqual([]);
    await sweepRules(at(time("2026-03-04T10:01:00Z")));
    expect(await evaluationsOf(id)).toHaveLength(1);
  });
});

describe("the authority of scheduled runs", () => {
  const scopes = ["reconciliation:write", "ledger:read"];
  const NOW = time("2026-03-04T10:00:01Z");

  async function dueRuleOf(token: string): Promise<string> {
    const ledger = await newLedger();
    const { id } = await createRule(thresholdOf(ledger, { schedule: HOURLY }), { token });
    await setRow(id, "next_at", DUE);
    return id;
  }

  const lastOf = async (id: string) => {
    await sweepRules(at(NOW));
    const [evaluation] = await evaluationsOf(id);
    return evaluation;
  };

  test.each<[string, (id: string) => Promise<unknown>, string]>([
    ["is gone", (id) => api(`/api/auth/clients/${id}`, { method: "DELETE" }), "is gone"],
    [
      "has lost the scope",
      (id) => asAdministrator(id, { scopes: ["reconciliation:write"] }),
      "the scope ledger:read",
    ],
    [
      "is bound to other ledgers",
      (id) => asAdministrator(id, { metadata: { ledgers: "eu-*" } }),
      "access to the ledger",
    ],
  ])(
    "a scheduled run ends with an error when the client that last changed the rule %s",
    async (_, change, why) => {
      const client = await acting(await makeClient({ id: freshName("c"), scopes }));
      const id = await dueRuleOf(client.token);
      await change(client.id);
      const evaluation = await lastOf(id);
      expect(evaluation).toMatchObject({
        result: "ERROR",
        error: expect.stringContaining(why) as unknown,
        costUnits: 0,
      });
      expect(await alertOf(id)).toMatchObject({ fingerprint: "engine.error" });
      // Whoever changes the rule is answerable for it from then on.
      const patch = await api(`${RULES}/${id}`, { method: "PATCH", body: { severity: "low" } });
      expect(patch.status).toBe(200);
      await setRow(id, "next_at", DUE);
      expect(await lastOf(id)).toMatchObject({ result: "PASS" });
    },
  );

  test.each([
    ["is gone", (id: string) => api(`${USERS}/${id}`, { method: "DELETE" }), "is gone"],
    [
      "has lost the scope",
      (id: string) => setScopes(id, ["reconciliation:write"]),
      "the scope ledger:read",
    ],
  ])(
    "a scheduled run ends with an error when the person who last changed the rule %s",
    async (_, change, why) => {
      const ada = await freshPerson(...scopes);
      const { token } = await actingPerson(ada);
      const id = await dueRuleOf(token);
      await change(ada.id);
      expect(await lastOf(id)).toMatchObject({
        result: "ERROR",
        error: expect.stringContaining(why) as unknown,
      });
    },
  );
});

describe("schedules on events", () => {
  const NOW = time("2026-03-04T10:00:00Z");
  const LATER = time("2026-03-04T10:00:30Z");
  const TYPE = "ledger.committed_transactions";

  async function eventRule(debounce = "30s"): Promise<{ id: string; ledger: string }> {
    const rule = await failingRule();
    const body = { kind: "events", types: [TYPE], debounce };
    await dataOf(await api(scheduleOf(rule.id), { method: "PUT", body }));
    return rule;
  }

  const eventIn = (ledger: string, fields: Partial<PlatformEvent> = {}): PlatformEvent => ({
    id: freshName("event"),
    app: "ledger",
    version: "v2",
    type: "COMMITTED_TRANSACTIONS",
    date: NOW,
    idempotencyKey: "",
    payload: { ledger },
    ...fields,
  });

  /** Gives events to the listener as the queue does. */
  async function deliver(now: Timestamp, ...events: PlatformEvent[]): Promise<void> {
    const sink = await ruleListener.open([], at(now));
    await sink?.(events, { source: "outbox", ids: events.map(({ id }) => id) });
  }

  test("events of a ledger that the rule reads make it due once, the debounce after the first one", async () => {
    const { id, ledger } = await eventRule();
    await deliver(NOW, eventIn(ledger), eventIn(ledger));
    await deliver(time("2026-03-04T10:00:04Z"), eventIn(ledger));
    expect((await rowOf(id)).events_due_at).toBe(LATER);
    await sweepRules(at(time("2026-03-04T10:00:04Z")));
    expect(await evaluationsOf(id)).toEqual([]);
    await sweepRules(at(LATER));
    const evaluations = await evaluationsOf(id);
    expect(evaluations.map(({ run }) => run)).toEqual([{ kind: "events" }]);
    expect(Object.values(evaluations[0]?.pitPerSource ?? {})).toEqual(["2026-03-04T10:00:30Z"]);
    expect(await rowOf(id)).toMatchObject({ events_due_at: null, events_taken_at: null });
  });

  test("a rule does not run on events of other types and ledgers, nor on those of its own module", async () => {
    const { id, ledger } = await eventRule();
    expect(await ruleListener.wants?.({ name: TYPE, rawType: "" }, system)).toBe(true);
    expect(
      await ruleListener.wants?.({ name: "payments.saved_payment", rawType: "" }, system),
    ).toBe(false);
    expect(
      await ruleListener.wants?.({ name: "reconciliation.opened_alert", rawType: "" }, system),
    ).toBe(false);
    await deliver(
      NOW,
      eventIn("other"),
      eventIn(ledger, { type: "SAVED_METADATA" }),
      eventIn(ledger, { app: "reconciliation" }),
    );
    expect((await rowOf(id)).events_due_at).toBeNull();
    await deliver(NOW, eventIn(ledger, { payload: null }));
    expect((await rowOf(id)).events_due_at).toBe(LATER);
  });

  test("events that come while a rule is run make it due once more", async () => {
    const { id, ledger } = await eventRule();
    await deliver(NOW, eventIn(ledger));
    const batch = env.DB.batch.bind(env.DB);
    let isDelivered = false;
    const spy = vi.spyOn(env.DB, "batch").mockImplementation(async (statements) => {
      // The alerts of the rule are read in a batch of two statements, while the run goes on.
      if (statements.length === 2 && !isDelivered) {
        isDelivered = true;
        await deliver(LATER, eventIn(ledger));
      }
      return batch(statements);
    });
    await sweepRules(at(LATER));
    spy.mockRestore();
    expect(isDelivered).toBe(true);
    expect(await rowOf(id)).toMatchObject({
      events_due_at: time("2026-03-04T10:01:00Z"),
      events_taken_at: null,
    });
    await sweepRules(at(time("2026-03-04T10:01:00Z")));
    expect(await evaluationsOf(id)).toHaveLength(2);
  });

  test("a run for events that was killed is repeated when its lock has ended", async () => {
    const { id, ledger } = await eventRule();
    await deliver(NOW, eventIn(ledger));
    await setRow(id, "events_due_at", null);
    await setRow(id, "events_taken_at", LATER);
    await setRow(id, "lock_until", time("2026-03-04T10:01:30Z"));
    expect(await sweepRules(at(LATER))).toBe(Date.parse("2026-03-04T10:01:30Z"));
    expect(await evaluationsOf(id)).toEqual([]);
    await sweepRules(at(time("2026-03-04T10:01:30Z")));
    expect(await evaluationsOf(id)).toHaveLength(1);
    expect((await rowOf(id)).events_taken_at).toBeNull();
  });

  test("an alert that follows from events is one step further in the chain that led to them", async () => {
    const { id, ledger } = await eventRule();
    await env.DB.prepare("UPDATE reconciliation_rules SET events_depth = 0 WHERE id = ?")
      .bind(id)
      .run();
    await deliver(NOW, eventIn(ledger, { causationDepth: 3 }), eventIn(ledger));
    const queue = vi.spyOn(env.EVENTS, "sendBatch").mockRejectedValue(new Error("lost"));
    const nowMs = Date.now() + 60_000;
    await sweepRules(at(fromMillis(nowMs)));
    queue.mockRestore();
    const [alert] = await alertsOf(id);
    const stored = await env.DB.prepare("SELECT event FROM outbox WHERE instr(event, ?) > 0")
      .bind(alert?.id ?? "none")
      .first<{ event: string }>();
    expect(JSON.parse(stored?.event ?? "{}")).toMatchObject({ causationDepth: 4 });
  });
});

test("a rule on events runs by itself after a transaction, through the queue and the clock", async () => {
  vi.restoreAllMocks();
  const ledger = await newLedger();
  const { id } = await createRule(thresholdOf(ledger));
  const body = { kind: "events", types: ["ledger.committed_transactions"], debounce: "30s" };
  await dataOf(await api(scheduleOf(id), { method: "PUT", body }));
  // The test does not wait for as long as a request has to.
  await setRow(id, "schedule", JSON.stringify({ ...body, debounce: "1s" }));
  await pay(ledger, { from: "users:1", to: "world", amount: 5 });
  await eventually(async () => {
    expect(await alertOf(id)).toMatchObject({ status: "OPEN", evidence: { balance: "-5" } });
  });
  await settle(ledger, 5);
  await eventually(async () => {
    expect(await alertOf(id)).toMatchObject({ status: "RESOLVED" });
  });
  expect(await evaluateNow(id)).toMatchObject({ result: "PASS" });
});
