import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { patchRule } from "#modules/reconciliation/rules/change.ts";
import { systemContext } from "#platform/context.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { acting } from "#test/support/auth/takeover.ts";
import { ALL_SCOPES, api, freshName } from "#test/support/platform/api.ts";
import {
  dataOf,
  failureOf,
  filtered,
  pageOf,
  UNKNOWN,
} from "#test/support/reconciliation/books.ts";
import {
  createRule,
  driftOf,
  RULES,
  scheduleOf,
  thresholdOf,
} from "#test/support/reconciliation/rules.ts";

const patch = (id: string, body: unknown) => api(`${RULES}/${id}`, { method: "PATCH", body });

describe("rules", () => {
  test("rules are created with their defaults, read, listed with filters and deleted", async () => {
    const body = thresholdOf("main");
    const rule = await createRule({ ...body, notifications: [], labels: null, schedule: null });
    expect(rule).toEqual({
      ...body,
      id: rule.id,
      explanationCEL: expect.stringContaining("users:") as unknown,
      enabled: true,
      severity: "medium",
      cadence: "continuous",
      periodType: "continuous",
      createdAt: rule.updatedAt,
      updatedAt: expect.stringMatching(/Z$/) as unknown,
    });
    expect(await dataOf(await api(`${RULES}/${rule.id}`))).toEqual(rule);
    const byName = { $match: { name: body.name } };
    for (const filter of [
      { $match: { id: rule.id } },
      { $and: [byName, { $match: { enabled: true } }] },
      { $and: [byName, { $match: { templateKind: "account_threshold" } }] },
      { $and: [byName, { $gte: { updatedAt: rule.updatedAt } }] },
    ]) {
      expect((await pageOf(await api(filtered("/rules", filter)))).data).toEqual([rule]);
    }
    expect((await api(`${RULES}/${rule.id}`, { method: "DELETE" })).status).toBe(204);
    for (const response of [
      await api(`${RULES}/${rule.id}`),
      await api(`${RULES}/${rule.id}`, { method: "DELETE" }),
      await patch(rule.id, {}),
      await api(scheduleOf(rule.id)),
    ]) {
      expect(await failureOf(response)).toEqual([404, "NOT_FOUND"]);
    }
    expect((await pageOf(await api(filtered("/rules", byName)))).data).toEqual([]);
  });

  test("rules keep specifications exactly, and both names of the period", async () => {
    const tolerance = { "USD/2": 2n ** 70n };
    const body = driftOf("main");
    const spec = { ...body.templateSpec, tolerance };
    const all = {
      templateSpec: spec,
      severity: "high",
      periodType: "monthly",
      cadence: "monthly",
      enabled: false,
      schedule: { kind: "cron", expr: "0 6 * * *", tz: "Europe/Paris", safetyMargin: "1m" },
      notifications: ["OPENED_ALERT"],
      labels: { team: "treasury" },
    };
    expect(await createRule({ ...body, ...all })).toMatchObject(all);
    const weekly = await createRule({ ...driftOf("main"), periodType: "weekly", cadence: "" });
    expect(weekly).toMatchObject({ cadence: "weekly", periodType: "weekly" });
  });

  test("rules change by the fields that are given, and replace objects and lists", async () => {
    const rule = await createRule(
      thresholdOf("main", {
        labels: { team: "a", tier: "1" },
        notifications: ["OPENED_ALERT"],
        schedule: { kind: "cron", expr: "@hourly" },
      }),
    );
    expect(await dataOf(await patch(rule.id, {}))).toEqual(rule);
    const changed = await dataOf(
      await patch(rule.id, { enabled: false, labels: { team: "b" }, notifications: [] }),
    );
    const { notifications: _all, ...rest } = { ...rule, notifications: [] };
    expect(changed).toEqual({
      ...rest,
      enabled: false,
      labels: { team: "b" },
      updatedAt: changed["updatedAt"],
    });
    const { templateSpec: spec } = driftOf("other");
    expect(await failureOf(await patch(rule.id, { templateSpec: spec }))).toEqual([
      400,
      "VALIDATION",
    ]);
    expect(await failureOf(await patch(rule.id, { templateKind: "ledger_invariant" }))).toEqual([
      400,
      "VALIDATION",
    ]);
    const other = await dataOf(
      await patch(rule.id, { templateKind: "ledger_vs_pool_drift", templateSpec: spec }),
    );
    expect(other).toMatchObject({
      templateSpec: spec,
      explanationCEL: expect.stringContaining('ledgerSet("other"') as unknown,
    });
  });

  test.each([
    ["no body", undefined, "MISSING_OR_INVALID_BODY"],
    ["a body that is no JSON", "{", "MISSING_OR_INVALID_BODY"],
    [
      "a specification that is a text",
      thresholdOf("main", { templateSpec: "x" }),
      "MISSING_OR_INVALID_BODY",
    ],
    [
      "labels that are numbers",
      thresholdOf("main", { labels: { a: 1 } }),
      "MISSING_OR_INVALID_BODY",
    ],
    ["no name", thresholdOf("main", { name: "" }), "VALIDATION"],
    ["a long name", thresholdOf("main", { name: "x".repeat(256) }), "VALIDATION"],
    ["no kind", thresholdOf("main", { templateKind: undefined }), "VALIDATION"],
    ["an unknown kind", thresholdOf("main", { templateKind: "x" }), "VALIDATION"],
    ["no specification", thresholdOf("main", { templateSpec: undefined }), "VALIDATION"],
    ["an unknown severity", thresholdOf("main", { severity: "x" }), "VALIDATION"],
    [
      "two periods that differ",
      thresholdOf("main", { cadence: "daily", periodType: "weekly" }),
      "VALIDATION",
    ],
    ["an unknown period", thresholdOf("main", { cadence: "yearly" }), "VALIDATION"],
    [
      "an unknown schedule",
      thresholdOf("main", { schedule: { kind: "events", types: ["a.b"] } }),
      "VALIDATION",
    ],
    [
      "a bad expression",
      thresholdOf("main", { schedule: { kind: "cron", expr: "x" } }),
      "VALIDATION",
    ],
    ["an unknown notification", thresholdOf("main", { notifications: ["slack"] }), "VALIDATION"],
    ["a long label", thresholdOf("main", { labels: { a: "x".repeat(256) } }), "VALIDATION"],
  ])("rules are refused with %s", async (_, body, code) => {
    expect(await failureOf(await api(RULES, { method: "POST", body }))).toEqual([400, code]);
  });

  test("rules are found by ids in any form of a UUID, and refuse other ids", async () => {
    const { id } = await createRule(thresholdOf("main"));
    expect((await api(`${RULES}/${id.replaceAll("-", "")}`)).status).toBe(200);
    expect(await failureOf(await api(`${RULES}/x`))).toEqual([400, "INVALID_ID"]);
    expect(await failureOf(await api(`${RULES}/${UNKNOWN}`))).toEqual([404, "NOT_FOUND"]);
  });

  test("of two changes of a rule at once, the later one is refused or comes after the other", async () => {
    const { id } = await createRule(thresholdOf("main"));
    const administrator = { ...systemContext(env, "test") };
    const context = {
      ...administrator,
      principal: { ...administrator.principal, scopes: new Set(ALL_SCOPES) },
    };
    const names = ["one", "two", "three", "four"];
    const results = await Promise.allSettled(names.map((name) => patchRule(context, id, { name })));
    const done = results.filter(({ status }) => status === "fulfilled");
    expect(done.length).toBeGreaterThan(0);
    for (const result of results) {
      if (result.status === "rejected")
        expect(result.reason).toMatchObject({ kind: "RULE_CHANGED" });
    }
    const row = await env.DB.prepare("SELECT revision FROM reconciliation_rules WHERE id = ?")
      .bind(id)
      .first();
    expect(row).toEqual({ revision: 1 + done.length });
  });
});

describe("schedules on events", () => {
  const set = (id: string, body: object) => api(scheduleOf(id), { method: "PUT", body });
  const ON_EVENTS = {
    kind: "events",
    types: ["ledger.committed_transactions", "payments.saved_payment"],
    debounce: "30s",
  };

  test("schedules on events are shown as on_demand to clients that know no others, and stay if that is written back", async () => {
    const { id } = await createRule(thresholdOf("main"));
    expect(await dataOf(await api(scheduleOf(id)))).toEqual({ kind: "on_demand" });
    expect(await dataOf(await set(id, ON_EVENTS))).toEqual(ON_EVENTS);
    const shown = await dataOf(await api(`${RULES}/${id}`));
    expect(shown).toMatchObject({ schedule: { kind: "on_demand" } });
    await dataOf(await patch(id, { schedule: shown["schedule"] }));
    expect(await dataOf(await api(scheduleOf(id)))).toEqual(ON_EVENTS);
    await dataOf(await patch(id, { schedule: { kind: "cron", expr: "@daily" } }));
    expect(await dataOf(await api(scheduleOf(id)))).toMatchObject({ kind: "cron", expr: "@daily" });
    await dataOf(await set(id, { kind: "on_demand" }));
    expect(await dataOf(await api(`${RULES}/${id}`))).toMatchObject({
      schedule: { kind: "on_demand" },
    });
  });

  test.each([
    [{ kind: "events" }],
    [{ kind: "events", types: ["nowhere.happened"] }],
    [{ kind: "events", types: ["ledger.commited_transactions"] }],
    [{ kind: "events", types: ["reconciliation.opened_alert"] }],
    [{ kind: "weekly" }],
    [{ kind: "events", types: ["ledger.committed_transactions"], safetyMargin: "1s" }],
  ])("schedules on events are refused: %j", async (body) => {
    const { id } = await createRule(thresholdOf("main"));
    expect(await failureOf(await set(id, body))).toEqual([400, "VALIDATION"]);
  });

  test("schedules on events are refused to those who may not read the events", async () => {
    const client = await acting(
      await makeClient({ id: freshName("c"), scopes: ["reconciliation:write", "ledger:read"] }),
    );
    const { id } = await createRule(thresholdOf("main"));
    const put = (body: object) => client.call(scheduleOf(id), { method: "PUT", body });
    expect((await put(ON_EVENTS)).status).toBe(401);
    expect((await put({ ...ON_EVENTS, types: ["ledger.committed_transactions"] })).status).toBe(
      200,
    );
  });
});

describe("the authority over a rule", () => {
  test("a rule is created, read, changed and deleted only by those who may read what it reads", async () => {
    const scopes = ["reconciliation:write", "ledger:read"];
    const { call } = await acting(
      await makeClient({ id: freshName("c"), scopes, metadata: { ledgers: "eu-*" } }),
    );
    const ledger = freshName("eu");
    expect((await call(RULES, { body: driftOf(ledger) })).status).toBe(401);
    expect((await call(RULES, { body: thresholdOf("us") })).status).toBe(401);
    const own = await dataOf<{ id: string }>(await call(RULES, { body: thresholdOf(ledger) }), 201);
    const [pooled, foreign] = [
      await createRule(driftOf(ledger)),
      await createRule(thresholdOf("us")),
    ];
    const ids = [own.id, pooled.id, foreign.id];
    const filter = { $or: ids.map((id) => ({ $match: { id } })) };
    const seen = await pageOf<{ id: string }>(await call(filtered("/rules", filter)));
    expect(seen.data.map(({ id }) => id)).toEqual([own.id]);
    for (const [id, status] of [
      [pooled.id, 401],
      [foreign.id, 404],
    ] as const) {
      expect((await call(`${RULES}/${id}`)).status).toBe(status);
      const change = { method: "PATCH", body: { name: "mine" } };
      expect((await call(`${RULES}/${id}`, change)).status).toBe(status);
      expect((await call(`${RULES}/${id}`, { method: "DELETE" })).status).toBe(status);
    }
    const widened = { templateSpec: thresholdOf("us").templateSpec };
    const change = await call(`${RULES}/${own.id}`, { method: "PATCH", body: widened });
    expect(change.status).toBe(401);
    expect((await call(`${RULES}/${own.id}`, { method: "DELETE" })).status).toBe(204);
  });
});
