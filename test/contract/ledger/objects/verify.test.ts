import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { LedgerObject } from "#modules/ledger/objects/ledger-object.ts";
import {
  freshLedger,
  inLedger,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
} from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const verify = (ledger: string) =>
  api(`/api/florin/v1/ledgers/${ledger}/verify`, { method: "POST" });

interface Report {
  readonly data: {
    readonly status: string;
    readonly lastLogId: number;
    readonly rows: Record<string, number>;
    readonly differences: readonly { table: string; key: string; column?: string }[];
  };
}

async function verified(ledger: string): Promise<Report["data"]> {
  for (;;) {
    const { data } = await okBodyOf<Report>(verify(ledger));
    if (data.status !== "running") return data;
  }
}

describe("the verification of a ledger", () => {
  test("the verification of a ledger finds it consistent with its log, again and again while it is written to", async () => {
    const ledger = await freshLedger();
    for (let count = 1; count <= 3; count++) {
      await okBodyOf(post(ledger, pay("world -> a", 10n ** 20n, { metadata: { n: `${count}` } })));
      await okBodyOf(
        post(ledger, pay("a -> b", 1, { timestamp: "2020-01-01T00:00:00Z", force: true })),
      );
      const [report, other] = await Promise.all([verified(ledger), verified(ledger)]);
      expect(report).toMatchObject({ status: "consistent", lastLogId: 2 * count, differences: [] });
      expect(other).toEqual(report);
      expect(report.rows).toMatchObject({ tx: 2 * count, entry: 0, asset: 1, account: 3 });
    }
  });

  test("the verification of a ledger reports which cell differs, and writes go on", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 5)));
    await runInDurableObject(objectOf(ledger), (_object, state) => {
      state.storage.sql.exec("UPDATE move SET input = 6 WHERE account = 2");
    });
    const report = await verified(ledger);
    expect(report.status).toBe("inconsistent");
    expect(report.differences).toEqual([
      expect.objectContaining({
        table: "move",
        key: "2,1,1",
        column: "input",
        stored: "6",
        expected: "5",
      }),
    ]);
    await okBodyOf(inLedger(ledger, "/transactions", { body: pay("world -> b", 1) }));
  });

  test("the verification of a ledger is answered with 503 while the ledger is overloaded, and goes on later where it was", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 5)));
    const asked: unknown[] = [];
    let calls = 3;
    const answerAudit: LedgerObject["answerAudit"] = async (uuid, request) => {
      const { steps: _, ...place } = request; // the number of steps depends on the time that the steps before took
      asked.push(place);
      if (calls-- <= 0) throw Object.assign(new Error("overloaded"), { overloaded: true });
      return objectOf(ledger).answerAudit(uuid, request);
    };
    await runInDurableObject(env.AUDITS.getByName(ledger), (audit) => {
      const LEDGERS = { getByName: () => ({ answerAudit }) };
      Object.assign(audit, { env: { ...env, LEDGERS } });
    });
    const refused = await verify(ledger);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refusalOf(refused)).toMatchObject({
      message: "[INTERNAL] the ledger is busy or was restarted; try again",
    });
    expect(asked).toHaveLength(4);
    calls = Infinity;
    expect(await verified(ledger)).toMatchObject({ status: "consistent", lastLogId: 1 });
    // The refused request is sent again, but not the requests before it.
    expect(asked[4]).toEqual(asked[3]);
    expect(asked.slice(5)).not.toContainEqual(asked[0]);
  });

  test("the verification of a ledger needs a ledger and a client that may write", async () => {
    expect(await refusalOf(verify(freshName()))).toMatchObject({ status: 404, code: "NOT_FOUND" });
    const ledger = await freshLedger();
    const anonymous = await api(`/api/florin/v1/ledgers/${ledger}/verify`, {
      method: "POST",
      token: null,
    });
    expect(anonymous.status).toBe(401);
  });
});
