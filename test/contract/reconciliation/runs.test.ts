import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { sweepRules } from "#modules/reconciliation/scheduler/sweep.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import type { Timestamp } from "#platform/time.ts";
import { api } from "#test/support/platform/api.ts";
import { filtered, pageOf, time } from "#test/support/reconciliation/books.ts";
import { alertOf, type EvaluationBody, failingRule } from "#test/support/reconciliation/rules.ts";

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
