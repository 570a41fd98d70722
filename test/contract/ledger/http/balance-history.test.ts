import { beforeAll, describe, expect, test } from "vitest";
import { freshLedger, okBodyOf, pay, post, refusalOf } from "#test/support/ledger/api.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";

interface Item {
  readonly startTime: string;
  readonly endTime: string;
  readonly input: number | bigint;
  readonly output: number | bigint;
  readonly balance: number | bigint;
}

const HUGE = 10n ** 30n;
let ledger: string;

beforeAll(async () => {
  ledger = await freshLedger();
  const paid = (way: string, amount: bigint | number, timestamp: string) =>
    okBodyOf(post(ledger, pay(way, amount, { timestamp })));
  await paid("world -> users:1", HUGE, "2024-02-28T10:00:00Z");
  await paid("users:1 -> shop", 30, "2024-02-29T23:59:59.999999Z");
  await paid("users:1 -> shop", 12, "2024-03-01T00:00:00Z");
});

const get = (parameters: Record<string, string>, init = {}, name = ledger): Promise<Response> => {
  const query = new URLSearchParams({
    account: "users:1",
    asset: "USD",
    interval: "day",
    ...parameters,
  });
  return api(`/api/florin/v1/ledgers/${name}/balances/history?${query.toString()}`, init);
};
const itemsOf = async (parameters: Record<string, string>): Promise<readonly Item[]> =>
  (await okBodyOf<{ data: readonly Item[] }>(get(parameters))).data;

describe("the history of a balance", () => {
  const days = { startTime: "2024-02-28T12:00:00Z", endTime: "2024-03-02T00:00:00Z" };

  test("the history of a balance has what moved in each interval and the balance at its end, exactly", async () => {
    expect(await itemsOf(days)).toEqual([
      {
        startTime: "2024-02-28T12:00:00Z",
        endTime: "2024-02-29T00:00:00Z",
        input: 0,
        output: 0,
        balance: HUGE,
      },
      {
        startTime: "2024-02-29T00:00:00Z",
        endTime: "2024-03-01T00:00:00Z",
        input: 0,
        output: 30,
        balance: HUGE - 30n,
      },
      {
        startTime: "2024-03-01T00:00:00Z",
        endTime: "2024-03-02T00:00:00Z",
        input: 0,
        output: 12,
        balance: HUGE - 42n,
      },
    ]);
  });

  test("the history of a balance has its amounts as texts where that is asked for", async () => {
    const headers = { "formance-bigint-as-string": "true" };
    const text = await (await get(days, { headers })).text();
    expect(text).toContain(`"input":"0","output":"30","balance":"${HUGE - 30n}"`);
  });

  test("the history of a balance has thirty intervals up to now by default, including all that was written", async () => {
    for (const interval of ["hour", "day", "week", "month", "15m", "1h30m"]) {
      const items = await itemsOf({ interval });
      expect(items).toHaveLength(30);
      expect(items.at(-1)?.balance).toBe(HUGE - 42n);
      expect(Math.abs(Date.parse(items.at(-1)?.endTime ?? "") - Date.now())).toBeLessThan(60_000);
    }
    const own = await freshLedger();
    for (let count = 1; count <= 3; count++) {
      await okBodyOf(post(own, pay("world -> users:1", 1)));
      const { data } = await okBodyOf<{ data: readonly Item[] }>(get({}, {}, own));
      expect(data.at(-1)?.balance).toBe(count);
    }
  });

  test("the history of a balance goes by the dates of insertion where that is asked for", async () => {
    const inserted = await itemsOf({ ...days, insertionDate: "true" });
    expect(inserted.map(({ balance }) => balance)).toEqual([0, 0, 0]);
    const last = (await itemsOf({ insertionDate: "1" })).at(-1);
    expect(last).toMatchObject({ input: HUGE, output: 42 });
  });

  test("the history of a balance may be read with the scope for reads", async () => {
    expect((await get({}, { token: await token("ledger:read") })).status).toBe(200);
    expect((await get({}, { token: null })).status).toBe(401);
  });

  test.each<[Record<string, string>, string]>([
    [{ account: "nobody" }, "nobody"],
    [{ account: "users:" }, "users:"],
    [{ account: "a b" }, "a b"],
    [{ asset: "EUR" }, "EUR"],
    [{ asset: "usd" }, "usd"],
  ])(
    "the history of a balance is not found where the account never had the asset: %j",
    async (parameters, name) => {
      const refusal = await refusalOf(get(parameters));
      expect(refusal).toMatchObject({ status: 404, code: "NOT_FOUND" });
      expect(refusal.message).toContain(name);
    },
  );

  test.each<[Record<string, string>, string]>([
    [{ account: "" }, "account"],
    [{ asset: "" }, "asset"],
    [{ interval: "" }, "interval"],
    [{ interval: "year" }, "expected hour, day, week, month or a duration"],
    [{ interval: "0s" }, "interval"],
    [{ interval: "-1h" }, "interval"],
    [{ startTime: "yesterday" }, "startTime"],
    [{ endTime: "2024-03-01T00:00:00" }, "endTime"],
    [{ startTime: "2024-03-01T00:00:00Z", endTime: "2024-03-01T00:00:00Z" }, "ends before"],
    [{ startTime: "2999-03-01T00:00:00Z" }, "ends before"],
    [{ startTime: "2020-01-01T00:00:00Z", interval: "1h" }, "more than 1000 intervals"],
  ])("the history of a balance is refused for %j", async (parameters, why) => {
    const refusal = await refusalOf(get(parameters));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(why);
  });

  test("the history of a balance is refused where the features of the ledger leave it out", async () => {
    const name = freshName();
    const body = { features: { MOVES_HISTORY: "OFF" } };
    await api(`/api/ledger/v2/${name}`, { method: "POST", body });
    await okBodyOf(post(name, pay("world -> users:1", 1)));
    const refusal = await refusalOf(get({ insertionDate: "true" }, {}, name));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain("MOVES_HISTORY");
  });

  test("the history of a balance of an unknown ledger is not found", async () => {
    for (const name of [freshName(), "dot.dot"]) {
      expect(await refusalOf(get({}, {}, name))).toMatchObject({
        status: 404,
        code: "LEDGER_NOT_FOUND",
      });
    }
  });
});
