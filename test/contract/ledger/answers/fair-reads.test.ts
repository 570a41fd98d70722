import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { EXPORTS_MAX } from "#modules/ledger/answers/export-places.ts";
import { LedgerVerifications } from "#modules/ledger/service/verifications.ts";
import { systemContext } from "#platform/context.ts";
import { ALL, setMetadata } from "#test/support/ledger-engine/fixtures.ts";
import {
  freshLedger,
  inLedger,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
} from "#test/support/ledger/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

/** A new ledger with `count` transactions. */
async function ledgerOf(count: number): Promise<string> {
  const ledger = await freshLedger();
  for (let done = 0; done < count; done += 500) {
    const elements = Array.from({ length: Math.min(500, count - done) }, (_, index) => ({
      action: "CREATE_TRANSACTION",
      data: pay(`world -> users:${done + index}`, 1),
    }));
    await okBodyOf(inLedger(ledger, "/_bulk", { body: elements }));
  }
  return ledger;
}

/** The write that the reads compete with. */
const TAGGED = setMetadata("users:1", { k: "v" });

const exportOf = (ledger: string): Promise<Response> =>
  inLedger(ledger, "/logs/export", { method: "POST" });

describe("heavy reads beside a write", () => {
  test("heavy reads beside a write hold it up for one slice at most, however many wait", async () => {
    const ledger = await ledgerOf(20);
    const [passed, all] = await runInDurableObject(objectOf(ledger), async (object) => {
      let ended = 0;
      const reads = Array.from({ length: 40 }, async () => {
        await object.read({ name: "listVolumes", args: [{ ...ALL, list: "", column: "account" }] });
        ended++;
      });
      await Promise.all(reads.slice(0, 10));
      const before = ended;
      await object.execute(TAGGED, { idempotencyKey: "", dryRun: false });
      const after = ended;
      await Promise.all(reads);
      return [after - before, ended];
    });
    expect(all).toBe(40);
    expect(passed).toBeLessThanOrEqual(1);
  });

  test("heavy reads beside a write all come to their ends, and each export is whole", async () => {
    const ledger = await ledgerOf(1500);
    const writes = Array.from({ length: 20 }, (_, index) =>
      post(ledger, pay("world -> w", index + 1)),
    );
    const [texts, volumes, verification] = await Promise.all([
      Promise.all(Array.from({ length: EXPORTS_MAX }, async () => (await exportOf(ledger)).text())),
      okBodyOf<{ cursor: { data: unknown[] } }>(inLedger(ledger, "/volumes?groupBy=1")),
      LedgerVerifications.from(systemContext(env, "test")).verify(ledger),
    ]);
    for (const write of writes) expect((await write).status).toBe(200);
    expect(volumes.cursor.data).toHaveLength(3);
    expect(verification.report.differences).toEqual([]);
    const whole = (await (await exportOf(ledger)).text()).split("\n");
    for (const text of texts) {
      const lines = text.split("\n").slice(0, -1);
      expect(lines.length).toBeGreaterThanOrEqual(1500);
      expect(lines).toEqual(whole.slice(0, lines.length));
    }
  });
});

describe("exports of one ledger at a time", () => {
  /** Exports that have sent their first page, and have more pages to send. */
  async function begun(ledger: string, count: number): Promise<ReadableStreamDefaultReader[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => exportOf(ledger)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return Promise.all(
      answers.map(async ({ body }) => {
        const reader = body?.getReader();
        if (reader === undefined) throw new Error("an export has no body");
        await reader.read();
        return reader;
      }),
    );
  }

  test("exports of one ledger at a time are ten; one more is told to come again, until one of them ends or is cut off", async () => {
    const ledger = await ledgerOf(1500);
    const readers = await begun(ledger, EXPORTS_MAX);
    const refused = await exportOf(ledger);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refusalOf(refused)).toEqual({
      status: 429,
      code: "VALIDATION",
      message:
        "[VALIDATION] 10 exports of the ledger are under way, which is the most; try again when one of them has ended",
    });
    await readers[0]?.cancel();
    const [next] = await eventually(() => begun(ledger, 1));
    expect((await exportOf(ledger)).status).toBe(429);
    for (let chunk = await next?.read(); chunk?.done === false;) chunk = await next?.read();
    const last = await eventually(() => begun(ledger, 1));
    await Promise.all([...readers, ...last].map((reader) => reader.cancel()));
  });

  test("exports of another ledger count for themselves", async () => {
    const [one, other] = [await ledgerOf(1500), await ledgerOf(1)];
    const readers = await begun(one, EXPORTS_MAX);
    expect((await (await exportOf(other)).text()).split("\n")).toHaveLength(2);
    await Promise.all(readers.map((reader) => reader.cancel()));
  });
});
