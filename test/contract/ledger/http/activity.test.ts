import { describe, expect, test } from "vitest";
import { freshLedger, okBodyOf, pay, post, refusalOf } from "#test/support/ledger/api.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";

interface Body {
  readonly data: {
    readonly firstEntryAt?: string;
    readonly lastEntryAt?: string;
    readonly intervals: readonly {
      readonly startTime: string;
      readonly endTime: string;
      readonly transactions: number;
      readonly entries: number;
    }[];
  };
}

const get = (name: string, parameters: Record<string, string>, init = {}): Promise<Response> =>
  api(
    `/api/florin/v1/ledgers/${name}/activity?${new URLSearchParams({ interval: "day", ...parameters }).toString()}`,
    init,
  );
const activityOf = async (
  name: string,
  parameters: Record<string, string> = {},
): Promise<Body["data"]> => (await okBodyOf<Body>(get(name, parameters))).data;

describe("the activity of a ledger", () => {
  test("the activity of a ledger counts what was written up to now, and not what was refused or only tried", async () => {
    const name = await freshLedger();
    const empty = await activityOf(name);
    expect(Object.keys(empty)).toEqual(["intervals"]);
    expect(empty.intervals).toHaveLength(30);
    for (let count = 1; count <= 3; count++) {
      // The effective date does not count.
      await okBodyOf(post(name, pay("world -> a", 1, { timestamp: "2020-01-01T00:00:00Z" })));
      await api(`/api/ledger/v2/${name}/transactions?dryRun=true`, {
        method: "POST",
        body: pay("world -> a", 1),
      });
      await refusalOf(post(name, pay("b -> a", 1)));
      await api(`/api/ledger/v2/${name}/accounts/a/metadata`, {
        method: "POST",
        body: { k: `${count}` },
      });
      const { intervals, firstEntryAt = "", lastEntryAt = "" } = await activityOf(name);
      const sum = (key: "transactions" | "entries") =>
        intervals.reduce((total, interval) => total + interval[key], 0);
      expect([sum("transactions"), sum("entries")]).toEqual([count, 2 * count]);
      expect(Date.parse(firstEntryAt)).toBeLessThanOrEqual(Date.parse(lastEntryAt));
      expect(Math.abs(Date.parse(lastEntryAt) - Date.now())).toBeLessThan(60_000);
    }
  });

  test("the activity of a period has its intervals, and the first and last entry of the whole ledger", async () => {
    const name = await freshLedger();
    await okBodyOf(post(name, pay("world -> a", 1)));
    const period = { startTime: "2024-02-28T12:00:00Z", endTime: "2024-03-01T00:00:00Z" };
    const { intervals, lastEntryAt } = await activityOf(name, period);
    expect(intervals).toEqual([
      {
        startTime: "2024-02-28T12:00:00Z",
        endTime: "2024-02-29T00:00:00Z",
        transactions: 0,
        entries: 0,
      },
      {
        startTime: "2024-02-29T00:00:00Z",
        endTime: "2024-03-01T00:00:00Z",
        transactions: 0,
        entries: 0,
      },
    ]);
    expect(Date.parse(lastEntryAt ?? "")).toBeGreaterThan(Date.parse(period.endTime));
  });

  test("the activity of a ledger may be read with the scope for reads, and not without a token", async () => {
    const name = await freshLedger();
    expect((await get(name, {}, { token: await token("ledger:read") })).status).toBe(200);
    expect((await get(name, {}, { token: null })).status).toBe(401);
  });

  test.each<[Record<string, string>, string]>([
    [{ interval: "" }, "interval"],
    [{ interval: "year" }, "expected hour, day, week, month or a duration"],
    [{ startTime: "yesterday" }, "startTime"],
    [{ startTime: "2024-03-01T00:00:00Z", endTime: "2024-03-01T00:00:00Z" }, "ends before"],
    [{ startTime: "2020-01-01T00:00:00Z", interval: "1h" }, "more than 1000 intervals"],
  ])("the activity of a ledger is refused for %j", async (parameters, why) => {
    const refusal = await refusalOf(get(await freshLedger(), parameters));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(why);
  });

  test("the activity of an unknown ledger is not found", async () => {
    for (const name of [freshName(), "dot.dot"]) {
      expect(await refusalOf(get(name, {}))).toMatchObject({
        status: 404,
        code: "LEDGER_NOT_FOUND",
      });
    }
  });
});
