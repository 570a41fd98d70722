import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { sweepRetention } from "#modules/reconciliation/retention/sweep.ts";
import { fromMillis } from "#platform/time.ts";
import { api } from "#test/support/platform/api.ts";
import {
  dataOf,
  failureOf,
  filtered,
  pageOf,
  UNKNOWN,
} from "#test/support/reconciliation/books.ts";
import {
  act,
  type AlertBody,
  alertOf,
  ALERTS,
  evaluateNow,
  failingRule,
  historyOf,
  RULES,
  settle,
} from "#test/support/reconciliation/rules.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A rule with an alert that is open. */
async function openAlert(): Promise<{ ruleId: string; ledger: string; id: string }> {
  const { id: ruleId, ledger } = await failingRule();
  await evaluateNow(ruleId);
  const { id } = await alertOf(ruleId);
  return { ruleId, ledger, id };
}

const shortHistory = async (id: string) =>
  (await historyOf(id)).map(({ type, prevStatus, newStatus, notify, isReopen }) =>
    [
      type,
      prevStatus ?? "-",
      newStatus,
      ...(notify ? ["told"] : []),
      ...(isReopen ? ["again"] : []),
    ].join(" "),
  );

describe("alerts", () => {
  test("alerts are counted while they fail, resolved when they pass, and opened again", async () => {
    const { ruleId, ledger, id } = await openAlert();
    await evaluateNow(ruleId);
    await settle(ledger, 1);
    await evaluateNow(ruleId);
    const before = await alertOf(ruleId);
    expect(before).toMatchObject({
      id,
      status: "OPEN",
      occurrenceCount: 3,
      evidence: { balance: "-4" },
    });
    await settle(ledger, 10);
    const { endedAt } = await evaluateNow(ruleId);
    expect(await alertOf(ruleId)).toMatchObject({
      id,
      status: "RESOLVED",
      occurrenceCount: 3,
      lastSeenAt: before.lastSeenAt,
      resolution: { kind: "auto", by: "system", at: endedAt },
    });
    await evaluateNow(ruleId);
    await settle(ledger, 1);
    await api(`/api/ledger/v2/${ledger}/transactions?force=true`, {
      body: { postings: [{ source: "users:1", destination: "world", amount: 20, asset: "USD/2" }] },
    });
    const again = await evaluateNow(ruleId);
    const after = await alertOf(ruleId);
    expect(after).toMatchObject({
      id,
      status: "OPEN",
      occurrenceCount: 4,
      lastEvaluationID: again.id,
    });
    expect(after).not.toHaveProperty("resolution");
    expect(await shortHistory(id)).toEqual([
      "fail - OPEN told",
      "fail OPEN OPEN told",
      "pass OPEN RESOLVED told",
      "fail RESOLVED OPEN told again",
    ]);
  });

  test("alerts are resolved when their check vanishes from the rule", async () => {
    const { ruleId, ledger, id } = await openAlert();
    const templateSpec = {
      ledger,
      query: { $match: { address: "users:" } },
      bounds: { "EUR/2": { min: 0 } },
    };
    await dataOf(await api(`${RULES}/${ruleId}`, { method: "PATCH", body: { templateSpec } }));
    await evaluateNow(ruleId);
    expect(await dataOf(await api(`${ALERTS}/${id}`))).toMatchObject({ status: "RESOLVED" });
  });

  test("alerts are acknowledged once, and open again when they fail", async () => {
    const { ruleId, id } = await openAlert();
    const first = await dataOf<AlertBody>(await act(id, "ack", { by: "ada", note: "looking" }));
    expect(first).toMatchObject({ status: "ACKNOWLEDGED", ack: { by: "ada", note: "looking" } });
    expect(await dataOf(await act(id, "ack", { by: "bob" }))).toEqual(first);
    await evaluateNow(ruleId);
    const after = await alertOf(ruleId);
    expect(after.status).toBe("OPEN");
    expect(after).not.toHaveProperty("ack");
    expect(await shortHistory(id)).toEqual([
      "fail - OPEN told",
      "ack OPEN ACKNOWLEDGED told",
      "fail ACKNOWLEDGED OPEN told",
    ]);
  });

  test("alerts are resolved with references, and accepted with their evidence", async () => {
    const [one, two] = [await openAlert(), await openAlert()];
    const body = { by: "ada", note: "booked", transactionRefs: ["fix-1"] };
    const resolved = await dataOf<AlertBody>(await act(one.id, "resolve", body));
    expect(resolved).toMatchObject({
      status: "RESOLVED",
      resolution: { kind: "fixed_by_booking", ...body },
    });
    await dataOf(await act(two.id, "ack"));
    const accepted = await dataOf<AlertBody>(
      await act(two.id, "accept", { by: "ada", note: "a fee" }),
    );
    expect(accepted).toMatchObject({
      status: "RESOLVED",
      ack: { by: "ada" },
      resolution: {
        kind: "accepted_by_business",
        note: "a fee",
        evidenceSnapshot: { balance: "-5" },
      },
    });
    const [, , event] = await historyOf(two.id);
    expect(event).toMatchObject({ type: "accept", payload: accepted.resolution });
    for (const verb of ["ack", "resolve", "accept", "snooze"]) {
      const all = { by: "ada", note: "x", until: "2999-01-01T00:00:00Z" };
      expect(await failureOf(await act(two.id, verb, all))).toEqual([404, "NOT_FOUND"]);
    }
    expect(await dataOf(await act(two.id, "unsnooze"))).toEqual(accepted);
  });

  test("alerts that are snoozed are counted and not published until the time is over", async () => {
    const { ruleId, ledger, id } = await openAlert();
    const until = "2999-01-01T00:00:00Z";
    const snoozed = await dataOf(await act(id, "snooze", { by: "ada", until, note: "known" }));
    expect(snoozed).toMatchObject({ status: "OPEN", snooze: { by: "ada", until, note: "known" } });
    await settle(ledger, 1);
    await evaluateNow(ruleId);
    const past = fromMillis(Date.now() - 1);
    await env.DB.prepare(
      "UPDATE reconciliation_alerts SET snooze = json_set(snooze, '$.until', ?) WHERE id = ?",
    )
      .bind(past, id)
      .run();
    await evaluateNow(ruleId);
    expect(await alertOf(ruleId)).not.toHaveProperty("snooze");
    await evaluateNow(ruleId);
    await dataOf(await act(id, "snooze", { by: "ada", until }));
    const woken = await dataOf(await act(id, "unsnooze", { by: "bob" }));
    expect(woken).not.toHaveProperty("snooze");
    expect(await dataOf(await act(id, "unsnooze", { by: "bob" }))).toEqual(woken);
    expect(await shortHistory(id)).toEqual([
      "fail - OPEN told",
      "snooze OPEN OPEN told",
      "fail OPEN OPEN",
      "fail OPEN OPEN told",
      "snooze OPEN OPEN told",
      "unsnooze OPEN OPEN told",
    ]);
    const events = await historyOf(id);
    expect(events.at(-1)).toMatchObject({ payload: { by: "bob" } });
    expect(events[1]?.payload).toMatchObject({ until });
  });

  test.each([
    ["ack", undefined, "MISSING_OR_INVALID_BODY"],
    ["ack", {}, "VALIDATION"],
    ["ack", { by: 1 }, "MISSING_OR_INVALID_BODY"],
    ["ack", { by: "x".repeat(256) }, "VALIDATION"],
    ["resolve", { by: "ada", note: "x".repeat(2001) }, "VALIDATION"],
    [
      "resolve",
      { by: "ada", transactionRefs: Array.from({ length: 101 }, () => "x") },
      "VALIDATION",
    ],
    ["accept", { by: "ada" }, "VALIDATION"],
    ["accept", { note: "x" }, "VALIDATION"],
    ["snooze", { by: "ada" }, "VALIDATION"],
    ["snooze", { by: "ada", until: "2020-01-01T00:00:00Z" }, "VALIDATION"],
    ["snooze", { by: "ada", until: "soon" }, "MISSING_OR_INVALID_BODY"],
    ["unsnooze", { by: "" }, "VALIDATION"],
  ])("alerts refuse %s with %j", async (verb, body, code) => {
    const response = await api(`${ALERTS}/${UNKNOWN}/${verb}`, { method: "POST", body });
    expect(await failureOf(response)).toEqual([400, code]);
  });

  test("alerts are not found by unknown ids", async () => {
    for (const response of [
      await api(`${ALERTS}/${UNKNOWN}`),
      await api(`${ALERTS}/${UNKNOWN}/events`),
      await act(UNKNOWN, "ack"),
    ]) {
      expect(await failureOf(response)).toEqual([404, "NOT_FOUND"]);
    }
    expect(await failureOf(await api(`${ALERTS}/x`))).toEqual([400, "INVALID_ID"]);
  });

  test("alerts are listed with filters, and their history in pages", async () => {
    const { ruleId, ledger, id } = await openAlert();
    await settle(ledger, 1);
    await evaluateNow(ruleId);
    await dataOf(await act(id, "ack"));
    const alert = await alertOf(ruleId);
    for (const test of [
      { $match: { id } },
      { $match: { status: "ACKNOWLEDGED" } },
      { $match: { severity: "medium" } },
      { $match: { fingerprint: "asset:USD/2" } },
      { $match: { periodID: "continuous" } },
      { $gte: { lastSeenAt: alert.lastSeenAt } },
    ]) {
      const path = filtered("/alerts", { $and: [{ $match: { ruleID: ruleId } }, test] });
      expect((await pageOf(await api(path))).data).toEqual([alert]);
    }
    const none = { $and: [{ $match: { ruleID: ruleId } }, { $match: { status: "OPEN" } }] };
    expect((await pageOf(await api(filtered("/alerts", none)))).data).toEqual([]);
    const first = await pageOf<{ type: string }>(await api(`${ALERTS}/${id}/events?pageSize=2`));
    const rest = await pageOf<{ type: string }>(
      await api(`${ALERTS}/${id}/events?cursor=${first.next}`),
    );
    expect([...first.data, ...rest.data].map(({ type }) => type)).toEqual(["ack", "fail", "fail"]);
    const other = await openAlert();
    const stolen = await api(`${ALERTS}/${other.id}/events?cursor=${first.next}`);
    expect(await failureOf(stolen)).toEqual([400, "VALIDATION"]);
  });
});

describe("races", () => {
  test("an alert that is acknowledged while its rule is evaluated is neither lost nor told twice", async () => {
    const { ruleId, id } = await openAlert();
    const batch = env.DB.batch.bind(env.DB);
    let isAcked = false;
    vi.spyOn(env.DB, "batch").mockImplementation(async (statements) => {
      const found = await batch(statements);
      // The alerts were read, and the evaluation is not stored yet.
      if (statements.length === 2 && !isAcked) {
        isAcked = true;
        expect((await act(id, "ack")).status).toBe(200);
      }
      return found;
    });
    await evaluateNow(ruleId);
    expect(isAcked).toBe(true);
    vi.restoreAllMocks();
    expect(await shortHistory(id)).toEqual([
      "fail - OPEN told",
      "ack OPEN ACKNOWLEDGED told",
      "fail ACKNOWLEDGED OPEN told",
    ]);
  });

  test("two people who act on an alert at once leave one history", async () => {
    const { id } = await openAlert();
    const answers = await Promise.all([
      act(id, "ack", { by: "a" }),
      act(id, "ack", { by: "b" }),
      act(id, "resolve", { by: "c" }),
      act(id, "accept", { by: "d", note: "x" }),
    ]);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    const history = await historyOf(id);
    const ends = history.filter(({ newStatus }) => newStatus === "RESOLVED");
    expect(ends).toHaveLength(1);
    for (const [place, { prevStatus }] of history.entries()) {
      expect(prevStatus).toBe(history[place - 1]?.newStatus);
    }
  });
});

describe("retention", () => {
  const HOUR_MS = 3_600_000;
  const inHours = (hours: number) => ({
    env,
    clock: () => fromMillis(Date.now() + hours * HOUR_MS),
  });

  test("retention deletes what passed, later what failed, and resolved alerts with their events", async () => {
    const { ruleId, ledger, id } = await openAlert();
    await evaluateNow(ruleId);
    await settle(ledger, 10);
    const passed = await evaluateNow(ruleId);
    const open = await openAlert();
    const list = async () => {
      const path = filtered("/evaluations", { $match: { ruleID: ruleId } });
      return (await pageOf<{ id: string }>(await api(path))).data.map((one) => one.id);
    };
    expect(await list()).toContain(passed.id);
    const next = await sweepRetention(inHours(721));
    expect(next).toBeGreaterThan(Date.now() + 721 * HOUR_MS);
    expect(await list()).toHaveLength(2);
    expect(await shortHistory(id)).toEqual(["fail - OPEN told", "pass OPEN RESOLVED told"]);
    await sweepRetention(inHours(8761));
    expect(await list()).toEqual([]);
    expect(await failureOf(await api(`${ALERTS}/${id}`))).toEqual([404, "NOT_FOUND"]);
    expect(await dataOf(await api(`${ALERTS}/${open.id}`))).toMatchObject({ status: "OPEN" });
  });

  test("retention keeps what people decided as long as the alert, also if it was not published", async () => {
    const { id: ruleId, ledger } = await failingRule({ notifications: ["OPENED_ALERT"] });
    await evaluateNow(ruleId);
    await settle(ledger, 1);
    await evaluateNow(ruleId);
    const { id } = await alertOf(ruleId);
    await dataOf(await act(id, "accept", { by: "ada", note: "known" }));
    await sweepRetention(inHours(721));
    expect(await shortHistory(id)).toEqual(["fail - OPEN told", "accept OPEN RESOLVED"]);
    const eventsOf = () =>
      env.DB.prepare("SELECT count(*) AS count FROM reconciliation_alert_events WHERE alert_id = ?")
        .bind(id)
        .first();
    await sweepRetention(inHours(8761));
    expect(await failureOf(await api(`${ALERTS}/${id}`))).toEqual([404, "NOT_FOUND"]);
    expect(await eventsOf()).toEqual({ count: 0 });
  });

  test("retention deletes alerts of periods that are over, whether they are resolved or not", async () => {
    const [daily, continuous] = [await failingRule({ cadence: "daily" }), await openAlert()];
    await evaluateNow(daily.id);
    const { id } = await alertOf(daily.id);
    await sweepRetention(inHours(8759));
    expect((await api(`${ALERTS}/${id}`)).status).toBe(200);
    await sweepRetention(inHours(8761));
    expect(await failureOf(await api(`${ALERTS}/${id}`))).toEqual([404, "NOT_FOUND"]);
    expect((await api(`${ALERTS}/${continuous.id}`)).status).toBe(200);
  });

  test("retention deletes all that belongs to a deleted rule, and its row", async () => {
    const { ruleId, id } = await openAlert();
    expect((await api(`${RULES}/${ruleId}`, { method: "DELETE" })).status).toBe(204);
    expect(await failureOf(await api(`${ALERTS}/${id}`))).toEqual([404, "NOT_FOUND"]);
    expect((await pageOf(await api(filtered("/alerts", { $match: { id } })))).data).toEqual([]);
    await sweepRetention(inHours(0));
    const counts = await env.DB.prepare(
      `SELECT (SELECT count(*) FROM reconciliation_rules WHERE id = ?1)
        + (SELECT count(*) FROM reconciliation_alerts WHERE rule_id = ?1)
        + (SELECT count(*) FROM reconciliation_evaluations WHERE rule_id = ?1)
        + (SELECT count(*) FROM reconciliation_alert_events WHERE alert_id = ?2) AS count`,
    )
      .bind(ruleId, id)
      .first();
    expect(counts).toEqual({ count: 0 });
  });
});
