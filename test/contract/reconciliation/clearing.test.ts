import { beforeAll, describe, expect, test } from "vitest";
import { makeClient } from "#test/support/auth/clients.ts";
import { acting } from "#test/support/auth/takeover.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { dataOf, failureOf, newLedger, pay } from "#test/support/reconciliation/books.ts";

const CLEARING = "/api/florin/v1/reconciliation/clearing";

interface Report {
  readonly assets: readonly { readonly asset: string }[];
  readonly buckets: readonly object[];
  readonly items: readonly { readonly reference?: string }[];
  readonly moreItems: number;
}

interface On {
  /** Two digits of a day in March 2026. */
  readonly day: string;
  readonly order?: string;
}

const reportOf = async (query: Record<string, string>): Promise<Report> =>
  dataOf<Report>(await api(`${CLEARING}?${new URLSearchParams(query).toString()}`));

describe("a clearing report", () => {
  let ledger = "";

  beforeAll(async () => {
    ledger = await newLedger();
    const move = (path: readonly [from: string, to: string], amount: number, on: On) =>
      pay(ledger, {
        from: path[0],
        to: path[1],
        amount,
        timestamp: `2026-03-${on.day}T10:00:00Z`,
        ...(on.order === undefined ? {} : { metadata: { order: on.order } }),
      });
    await move(["world", "clearing:card"], 100, { day: "01", order: "A" });
    await move(["world", "clearing:card"], 50, { day: "02", order: "B" });
    await move(["clearing:card", "bank"], 100, { day: "03", order: "A" });
    await move(["clearing:card", "bank"], 20, { day: "04" });
    await move(["world", "clearing:wire"], 70, { day: "05" });
    await move(["clearing:wire", "bank"], 70, { day: "06" });
    await move(["world", "clearings"], 1, { day: "06" });
  });

  test("shows open items first in, first out, with their ages and the share that is cleared", async () => {
    const report = await reportOf({ ledger, account: "clearing:", at: "2026-03-12T10:00:00Z" });
    expect(report).toMatchObject({
      ledger,
      account: "clearing:",
      at: "2026-03-12T10:00:00Z",
      assets: [
        {
          asset: "USD/2",
          accounts: 2,
          openAccounts: 1,
          input: 220,
          output: 190,
          balance: 30,
          completeness: "86.36",
        },
      ],
      buckets: [{ asset: "USD/2", fromDays: 8, toDays: 30, items: 1, amount: 30 }],
      items: [
        {
          account: "clearing:card",
          open: 30,
          amount: 50,
          days: 10,
          timestamp: "2026-03-02T10:00:00Z",
        },
      ],
      moreItems: 0,
    });
  });

  test("lets movements with the same value in their metadata clear each other", async () => {
    const query = { ledger, account: "clearing:card", at: "2026-03-12T10:00:00Z", by: "order" };
    expect((await reportOf(query)).items).toMatchObject([
      { open: 50, item: "B", timestamp: "2026-03-02T10:00:00Z" },
      { open: -20, timestamp: "2026-03-04T10:00:00Z" },
    ]);
  });

  test("shows the accounts as they were at an earlier moment", async () => {
    const early = await reportOf({ ledger, account: "clearing:", at: "2026-03-02T12:00:00Z" });
    expect(early.assets).toMatchObject([{ balance: 150, completeness: "0.00" }]);
    expect(early.items).toHaveLength(2);
    const before = await reportOf({ ledger, account: "clearing:", at: "2026-01-01T00:00:00Z" });
    expect(before).toMatchObject({ assets: [], buckets: [], items: [], moreItems: 0 });
  });

  test("is written as CSV in which no text is a formula", async () => {
    await pay(ledger, {
      to: "clearing:card",
      amount: 5,
      timestamp: "2026-03-12T09:00:00Z",
      metadata: { order: "=HYPERLINK(1)" },
    });
    const query = new URLSearchParams({
      ledger,
      account: "clearing:card",
      at: "2026-03-12T10:00:00Z",
      by: "order",
    });
    const response = await api(`${CLEARING}.csv?${query.toString()}`);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = (await response.text()).split("\r\n");
    expect(lines[0]).toBe(
      "ledger,account,asset,open,amount,days,timestamp,transaction,reference,item",
    );
    expect(lines[2]).toMatch(/,USD\/2,-20,-20,8,/);
    expect(lines[3]).toMatch(/,'=HYPERLINK\(1\)$/);
  });

  test("is refused for what cannot be read", async () => {
    const at = "2999-01-01T00:00:00Z";
    expect(
      await failureOf(await api(`${CLEARING}?ledger=${ledger}&account=clearing:&at=${at}`)),
    ).toEqual([400, "VALIDATION"]);
    expect(
      await failureOf(await api(`${CLEARING}?ledger=${ledger}&account=clearing:&at=yesterday`)),
    ).toEqual([400, "VALIDATION"]);
    expect(
      await failureOf(await api(`${CLEARING}?ledger=${freshName("none")}&account=clearing:`)),
    ).toEqual([404, "LEDGER_NOT_FOUND"]);
    expect((await api(`${CLEARING}?ledger=${ledger}`)).status).toBe(400);
    const query = `${CLEARING}?ledger=${ledger}&account=clearing:`;
    const status = async (fields: object) => {
      const { call } = await acting(await makeClient({ id: freshName("reader"), ...fields }));
      return (await call(query)).status;
    };
    const scopes = ["reconciliation:read", "ledger:read"];
    expect(await status({ scopes: ["reconciliation:read"] })).toBe(401);
    expect(await status({ scopes, metadata: { ledgers: "other-*" } })).toBe(401);
    expect(await status({ scopes, metadata: { ledgers: ledger } })).toBe(200);
  });
});
