import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { sweepRules } from "#modules/reconciliation/scheduler/sweep.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import type { Timestamp } from "#platform/time.ts";
import { api } from "#test/support/platform/api.ts";
import { dataOf, filtered, newLedger, pageOf, time } from "#test/support/reconciliation/books.ts";
import {
  alertOf,
  evaluate,
  type EvaluationBody,
  failingRule,
  QUERY,
  RULES,
} from "#test/support/reconciliation/rules.ts";

const system = systemContext(env, "test");

/** A context whose clock shows a time. */
const at = (now: Timestamp): ServiceContext => ({ ...system, clock: () => now });

const evaluationsOf = async (ruleID: string): Promise<EvaluationBody[]> =>
  (await pageOf<EvaluationBody>(await api(filtered("/evaluations", { $match: { ruleID } })))).data;

const setNextAt = (id: string, nextAt: Timestamp) =>
  env.DB.prepare("UPDATE reconciliation_rules SET next_at = ? WHERE id = ?").bind(nextAt, id).run();

beforeEach(async () => {
  // Rules of earlier tests must not run in the sweeps of this one.
  await env.DB.prepare("UPDATE reconciliation_rules SET next_at = NULL").run();
  // The clock object of the deployment runs sweeps by the machine's time, which these tests replace.
  vi.spyOn(env.CLOCK, "getByName").mockReturnValue({
    arm: async () => undefined,
    watch: async () => undefined,
    start: async () => undefined,
  } as unknown as ReturnType<typeof env.CLOCK.getByName>);
});

describe("the period of a scheduled run", () => {
  test.each(["00:00:05", "00:00:45", "00:01:30", "03:00:00"])(
    "a daily rule that is due at midnight belongs to the day that has ended, also when it begins at %s",
    async (begin) => {
      const schedule = { kind: "cron", expr: "0 0 * * *" };
      const { id } = await failingRule({ schedule, cadence: "daily" });
      await setNextAt(id, time("2099-11-27T00:00:00Z"));
      await sweepRules(at(time(`2099-11-27T${begin}Z`)));
      const [evaluation] = await evaluationsOf(id);
      expect(Object.values(evaluation?.pitPerSource ?? {})).toEqual(["2099-11-26T23:59:30Z"]);
      expect(await alertOf(id)).toMatchObject({ status: "OPEN", periodID: "2099-11-26" });
    },
  );
});

describe("rules that cannot be run", () => {
  const HOURLY = { kind: "cron", expr: "0 * * * *" };
  const DUE = time("2026-03-04T10:00:00Z");

  const dueRule = async (): Promise<string> => {
    const { id } = await failingRule({ schedule: HOURLY });
    await setNextAt(id, DUE);
    return id;
  };

  test("a rule that throws holds up no other, and is tried again after as long as it has been due", async () => {
    const [broken, fine] = [await dueRule(), await dueRule()];
    await env.DB.prepare("UPDATE reconciliation_rules SET principal = '{' WHERE id = ?")
      .bind(broken)
      .run();
    const next = (now: string) => sweepRules(at(time(now)));
    expect(await next("2026-03-04T10:00:01Z")).toBe(Date.parse("2026-03-04T10:00:03Z"));
    expect(await evaluationsOf(fine)).toHaveLength(1);
    expect(await next("2026-03-04T10:05:00Z")).toBe(Date.parse("2026-03-04T10:10:00Z"));
    // The other rule is due before the broken one is tried again.
    expect(await next("2026-03-04T10:40:00Z")).toBe(Date.parse("2026-03-04T11:00:00Z"));
    await env.DB.prepare("UPDATE reconciliation_rules SET next_at = NULL WHERE id = ?")
      .bind(fine)
      .run();
    expect(await next("2026-03-05T10:00:00Z")).toBe(Date.parse("2026-03-05T11:00:00Z"));
    expect(await evaluationsOf(broken)).toEqual([]);
    await env.DB.prepare("DELETE FROM reconciliation_rules WHERE id = ?").bind(broken).run();
  });

  test("a stored specification that is refused ends with an error, and the rule can be read and mended", async () => {
    const id = await dueRule();
    const spec = { ledger: "main", query: QUERY, bounds: { "USD/2": { min: 0 } }, newer: true };
    await env.DB.prepare("UPDATE reconciliation_rules SET template_spec = ? WHERE id = ?")
      .bind(JSON.stringify(spec), id)
      .run();
    const next = await sweepRules(at(time("2026-03-04T10:00:01Z")));
    expect(next).toBe(Date.parse("2026-03-04T11:00:00Z"));
    const error = expect.stringContaining("stored specification of the rule is refused") as unknown;
    expect(await evaluationsOf(id)).toMatchObject([{ result: "ERROR", error }]);
    expect(await alertOf(id)).toMatchObject({ fingerprint: "engine.error" });
    expect(await dataOf(await evaluate(id))).toMatchObject({ result: "ERROR", error });
    const sourcePITs = { "ledger:main#0": "2026-03-04T10:00:00Z" };
    const moments = { at: "2026-03-04T10:00:00Z", sourcePITs };
    expect(await dataOf(await evaluate(id, moments))).toMatchObject({ result: "ERROR", error });
    const rule = await dataOf(await api(`${RULES}/${id}`));
    expect(rule).toMatchObject({ id, templateSpec: spec });
    expect(rule).not.toHaveProperty("explanationCEL");
    expect((await api(RULES)).status).toBe(200);
    const templateSpec = {
      ledger: await newLedger(),
      query: QUERY,
      bounds: { "USD/2": { min: 0 } },
    };
    const patched = await api(`${RULES}/${id}`, { method: "PATCH", body: { templateSpec } });
    expect(await dataOf(patched)).toHaveProperty("explanationCEL");
    expect(await dataOf(await evaluate(id))).toMatchObject({ result: "PASS" });
    expect(await alertOf(id)).toMatchObject({ status: "RESOLVED" });
  });
});

test("an evaluation that is stored is answered although no clock can be called", async () => {
  const { id } = await failingRule();
  const fail = () => Promise.reject(new Error("the clock does not answer"));
  vi.spyOn(env.CLOCK, "getByName").mockReturnValue({
    arm: fail,
    watch: async () => undefined,
    start: fail,
  } as unknown as ReturnType<typeof env.CLOCK.getByName>);
  expect(await dataOf(await evaluate(id, { safetyMargin: "0s" }))).toMatchObject({
    result: "FAIL",
  });
  expect(await alertOf(id)).toMatchObject({ status: "OPEN", occurrenceCount: 1 });
});
