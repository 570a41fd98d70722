import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { Module } from "#platform/modules/module.ts";
import { readStatus, samplesOf, statusSections } from "#platform/modules/status.ts";
import { clockOf } from "#platform/objects/deployment-clock.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { forgetBacklog } from "#platform/status/object-backlogs.ts";
import { toOpenMetrics } from "#platform/status/open-metrics.ts";
import { recordSweepRun } from "#platform/status/sweep-runs.ts";
import { objectBacklogs } from "#platform/status/tables.ts";
import { keepSize } from "#platform/storage/sizes.ts";
import { fromMillis } from "#platform/time.ts";
import { MODULES } from "#src/modules.ts";
import { SWEEPS } from "#src/sweeps.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { api, freshName, send, token } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const STATUS = "/api/florin/v1/status";
const DAY = 86_400_000;
const db = databaseOf(env);

interface Problem {
  readonly severity: string;
  readonly what: string;
  readonly since?: string;
  readonly why: string;
  readonly whatToDo: string;
}
interface Section {
  readonly module: string;
  readonly name: string;
  readonly state: string;
  readonly problems: readonly Problem[];
}
interface Status {
  readonly ok: boolean;
  readonly sections?: readonly Section[];
}

/** Calls the Worker as in another isolate: other files of tests use the same one, which counts their requests. */
const sendOwn = isolate();

async function statusOf(
  { token: bearer }: { token?: string | null } = {},
  query = "",
): Promise<Status> {
  const valid = bearer === undefined ? await token() : bearer;
  const headers = valid === null ? {} : { authorization: `Bearer ${valid}` };
  const response = await sendOwn(`${STATUS}${query}`, { headers });
  expect(response.status).toBe(200);
  return (await response.json<{ data: Status }>()).data;
}

/** The sections that are not well, by their names, and their problems. */
async function problemsOf(section: string): Promise<readonly Problem[]> {
  const { sections = [] } = await statusOf();
  return sections.find(({ module, name }) => `${module}/${name}` === section)?.problems ?? [];
}

/** The lines of `GET /metrics` that begin with a text. */
async function metricsOf(start: string): Promise<string[]> {
  return (await metricsText()).split("\n").filter((line) => line.startsWith(start));
}

async function metricsText(): Promise<string> {
  const response = await api("/metrics");
  expect(response.status).toBe(200);
  // `text()` warns of content types that it does not know.
  return new TextDecoder().decode(await response.arrayBuffer());
}

const run = (sql: string, ...values: readonly (string | number)[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const ago = (ms: number) => fromMillis(Date.now() - ms);

const PLANTED = [
  "outbox",
  "sweep_runs",
  "object_backlogs",
  "storage_sizes",
  "orchestration_instances",
  "wallet_hold_expiries",
  "webhook_owed",
];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const table of PLANTED) await run(`DELETE FROM ${table}`);
});

describe("the status", () => {
  test("the status of a deployment that is well has every module and no problem", async () => {
    const { ok, sections = [] } = await statusOf();
    expect(sections.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(ok).toBe(true);
    const modules = new Set(sections.map(({ module }) => module));
    expect([...modules].toSorted()).toEqual([
      "auth",
      "deployment",
      "exporters",
      "ledger",
      "orchestration",
      "payments",
      "platform",
      "reconciliation",
      "search",
      "wallets",
      "webhooks",
    ]);
  });

  test("the status tells callers without a token only whether the deployment is well", async () => {
    const response = await send(STATUS);
    expect(response.status).toBe(200);
    const { data } = await response.json<{ data: Status }>();
    expect(Object.keys(data).toSorted()).toEqual(["checkedAt", "ok"]);
  });

  test("the status and the metrics refuse tokens without the scope, and tokens that are bound to ledgers", async () => {
    const other = await token("ledger:write");
    const { token: bound } = await clientWith({
      scopes: ["florin:operate"],
      metadata: { ledgers: "mine" },
    });
    for (const path of [STATUS, "/metrics"]) {
      for (const bearer of [other, bound, "nonsense"]) {
        expect((await api(path, { token: bearer })).status).toBe(401);
      }
    }
    expect((await send("/metrics")).status).toBe(401);
    expect((await send(`${STATUS}?module=wallets`)).status).toBe(401);
    const { sections } = await statusOf({ token: await token("florin:operate") });
    expect(sections?.map(({ name }) => name)).toContain("outbox");
  });

  test("the status shows one module where it is asked for one", async () => {
    const { sections = [] } = await statusOf({}, "?module=wallets");
    expect(sections.map(({ module, name }) => [module, name])).toEqual([["wallets", "holds"]]);
    expect((await api(`${STATUS}?module=none`)).status).toBe(400);
  });
});

describe("a planted fault shows in status and metrics", () => {
  test("a planted fault: an event that no consumer confirms", async () => {
    const id = freshName("poison");
    const event = { id, app: "payments", type: "SAVED_PAYMENT", date: ago(600_000) };
    await run(
      "INSERT INTO outbox (id, event, attempts, announce_at) VALUES (?, ?, 7, ?)",
      id,
      JSON.stringify(event),
      ago(-DAY),
    );
    expect((await statusOf()).ok).toBe(false);
    expect(await problemsOf("platform/outbox")).toMatchObject([
      {
        severity: "critical",
        what: `the event ${id} (payments.SAVED_PAYMENT)`,
        why: expect.stringContaining("announced 7 times") as string,
      },
    ]);
    expect(await metricsOf('florin_work_overdue{module="platform",work="outbox"}')).toEqual([
      'florin_work_overdue{module="platform",work="outbox"} 1',
    ]);
  });

  test("a planted fault: a sweep whose clock does not ring, and one that fails", async () => {
    const endedMs = Date.now() - 3_600_000;
    const [first, second] = ["wallet-holds", "buckets"];
    await recordSweepRun(db, { name: first, endedMs, nextMs: endedMs + 60_000, error: undefined });
    for (const error of ["D1 is away", "D1 is still away"]) {
      await recordSweepRun(db, { name: second, endedMs, nextMs: Date.now() + 60_000, error });
    }
    await recordSweepRun(db, { name: "of-the-past", endedMs, nextMs: endedMs, error: undefined });
    expect(await problemsOf("platform/sweeps")).toMatchObject([
      { what: second, why: expect.stringContaining("D1 is still away") as string },
      { what: first, why: "the clock of the sweep has not rung" },
    ]);
    const overdue = await metricsOf("florin_sweep_overdue_seconds");
    expect(overdue.filter((line) => !line.endsWith(" 0"))).toEqual([
      expect.stringMatching(/^florin_sweep_overdue_seconds\{sweep="wallet-holds"\} 35\d\d/),
    ]);
    expect(await metricsOf('florin_sweep_failed_runs_total{sweep="buckets"}')).toEqual([
      'florin_sweep_failed_runs_total{sweep="buckets"} 2',
    ]);
  });

  test("a planted fault: an instance that has not moved, and one whose activity fails", async () => {
    const hold = JSON.stringify({ kind: "retry", since: ago(300_000), lastFailure: "no funds" });
    const insert = `INSERT INTO orchestration_instances
      (id, workflow_key, variables, principal, created_at, updated_at, stage, run, round, due_at, change_id, state, hold)
      VALUES (?, 1, '{}', '{}', ?, ?, 0, 1, 1, ?, 'x', ?, ?)`;
    await run(insert, freshName(), ago(0), ago(0), ago(900_000), "running", "null");
    await run(insert, freshName(), ago(0), ago(0), ago(-900_000), "stuck", hold);
    expect(await problemsOf("orchestration/instances")).toMatchObject([
      { severity: "critical", what: "1 of instances" },
      { severity: "warning", what: "1 of stuck-instances" },
    ]);
    const [age = ""] = await metricsOf(
      'florin_work_oldest_age_seconds{module="orchestration",work="stuck-instances"}',
    );
    expect(Number(age.split(" ")[1])).toBeGreaterThanOrEqual(300);
  });

  test("a planted fault: a ledger that is nearly full, with the day on which it will be", async () => {
    const nowMs = Date.now();
    await keepSize(db, "ledger/shop", { bytes: 9_000_000_000, measuredMs: nowMs - DAY });
    await keepSize(db, "ledger/shop", { bytes: 9_500_000_000, measuredMs: nowMs });
    const [problem] = await problemsOf("platform/storage");
    const day = new Date(nowMs + DAY).toISOString().slice(0, 10);
    expect(problem).toMatchObject({ severity: "critical", what: "ledger/shop" });
    expect(problem?.why).toBe(
      `95.0 % of 10 GB are used, and is full on ${day} at the present rate`,
    );
    expect(await metricsOf('florin_storage_full_in_seconds{name="ledger/shop"}')).toEqual([
      'florin_storage_full_in_seconds{name="ledger/shop"} 86400',
    ]);
  });

  test("a planted fault: holds past their time, and batches that lanes do not take", async () => {
    await run(
      "INSERT INTO wallet_hold_expiries (ledger, hold_id, due_at, asked_at) VALUES ('w', 'h', ?, ?)",
      ago(120_000),
      ago(DAY),
    );
    await run(
      "INSERT INTO webhook_owed (config_id, revision, batch, created_at, due_at) VALUES ('c', 1, '{}', ?, ?)",
      ago(120_000),
      ago(-DAY),
    );
    expect(await problemsOf("wallets/holds")).toMatchObject([{ what: "1 of expired-holds" }]);
    expect(await problemsOf("webhooks/queues")).toMatchObject([{ what: "1 of owed-batches" }]);
  });

  test("a planted fault: many endpoints that are dead, of which the oldest are named", async () => {
    const rows = Array.from({ length: 150 }, (_, index) => ({
      kind: "webhook-deliveries",
      name: `config-${String(index).padStart(3, "0")}`,
      waiting: 3,
      sinceMs: Date.now() - 3_600_000 + index,
      reason: 'the endpoint said "no"',
      writtenMs: Date.now(),
    }));
    for (const row of rows) await db.insert(objectBacklogs).values(row);
    const problems = await problemsOf("webhooks/deliveries");
    expect(problems).toHaveLength(21);
    expect(problems[0]).toMatchObject({ severity: "warning", what: "config-000" });
    expect(problems.at(-1)).toMatchObject({ what: "130 more" });
    expect((await statusOf()).ok).toBe(true);
    expect(await metricsOf("florin_objects_behind{")).toContain(
      'florin_objects_behind{module="webhooks",kind="webhook-deliveries"} 150',
    );
    expect(await metricsOf("florin_object_waiting{")).toHaveLength(100);
    await forgetBacklog(db, { kind: "webhook-deliveries", name: "config-000" });
    expect((await problemsOf("webhooks/deliveries"))[0]).toMatchObject({ what: "config-001" });
  });

  test("a planted fault: a clock that is an hour behind", async () => {
    await recordSweepRun(db, {
      name: "buckets",
      endedMs: Date.now(),
      nextMs: Date.now() + DAY,
      error: undefined,
    });
    const context = {
      ...systemContext(env, "test"),
      clock: () => fromMillis(Date.now() - 3_600_000),
    };
    const sections = statusSections(
      MODULES,
      SWEEPS.map(({ name }) => name),
    );
    const { isOk, sections: read } = await readStatus(context, sections);
    const clock = read.find(({ name }) => name === "clock");
    expect(isOk).toBe(false);
    expect(clock?.problems.map(({ why }) => why)).toEqual([
      "the server's clock and the database's are 3600 s apart",
      "the clock is 3600 s behind a time that it has stored",
    ]);
  });
});

describe("sections", () => {
  const section = (name: string, read: () => Promise<never>) => ({
    name,
    description: "",
    read,
  });

  test("sections that fail or hang are shown as such, and take no other with them", async () => {
    vi.useFakeTimers();
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const status = [
      section("fails", () => Promise.reject(new Error("secret"))),
      section("throws", () => {
        throw new Error("secret");
      }),
      section("hangs", () => new Promise(() => undefined)),
    ];
    const modules = [{ name: "broken", status } as unknown as Module];
    const reading = readStatus(systemContext(env, "test"), statusSections(modules, []).slice(6));
    await vi.advanceTimersByTimeAsync(3000);
    vi.useRealTimers();
    const report = await reading;
    expect(report.isOk).toBe(false);
    expect(report.sections.map(({ state }) => state)).toEqual(["unknown", "unknown", "unknown"]);
    expect(JSON.stringify(report)).not.toContain("secret");
    const text = toOpenMetrics(samplesOf(report.sections));
    expect(text).toContain('florin_section_up{module="broken",section="hangs"} 0');
  });

  test("sections give every family of metrics its labels and a place in the text", async () => {
    const text = await metricsText();
    const families = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
    const known = new Set<string>(Object.values(FAMILIES).map(({ name }) => name));
    expect(families.filter((name) => !known.has(name))).toEqual([]);
    expect(new Set(families).size).toBe(families.length);
    expect(text.endsWith("# EOF\n")).toBe(true);
    expect(text).toContain("florin_ok 1\n");
  });
});

describe("clocks", () => {
  test("clocks record the runs of their sweeps, and failures at once", async () => {
    const clock = clockOf(env, "buckets");
    await clock.arm(Date.now() + DAY);
    await runInDurableObject(clock, (object) => object.alarm());
    const { results: first } = await env.DB.prepare(
      "SELECT name, failures, error, next_ms FROM sweep_runs WHERE name = 'buckets'",
    ).all();
    expect(first).toMatchObject([{ name: "buckets", failures: 0, error: null }]);
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const prepare = env.DB.prepare.bind(env.DB);
    vi.spyOn(env.DB, "prepare").mockImplementation((text) => {
      if (text.includes("ledgers")) throw new Error("D1 is away");
      return prepare(text);
    });
    await runInDurableObject(clock, (object) => object.alarm());
    vi.restoreAllMocks();
    const { results: second } = await env.DB.prepare(
      "SELECT failures, failures_total FROM sweep_runs WHERE name = 'buckets'",
    ).all();
    expect(second).toEqual([{ failures: 1, failures_total: 1 }]);
  });
});
