import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inLedger, objectOf, pay, post } from "#test/support/ledger/api.ts";
import { freshBucket, ledgerIn, uuidOf } from "#test/support/ledger/buckets.ts";
import { evict } from "#test/support/platform/evict.ts";

/** Requests that clients repeat for both ledgers. Most answers are long enough for the Worker to keep them. */
const READS = [
  "/transactions?pageSize=6",
  "/transactions?expand=volumes&expand=effectiveVolumes",
  "/transactions?order=effective&pageSize=7",
  `/transactions?query=${encodeURIComponent('{"$match":{"metadata[kind]":"fee"}}')}`,
  "/transactions?pit=2020-06-01T00:00:00Z&expand=volumes",
  "/transactions/1?expand=volumes",
  "/accounts?expand=volumes&expand=effectiveVolumes",
  "/accounts?sort=address:desc&pageSize=9",
  "/accounts/world?expand=volumes",
  "/logs",
  "/logs?pageSize=6",
];

const bulk = (ledger: string, ways: readonly string[], atomic: boolean): Promise<Response> =>
  inLedger(ledger, `/_bulk?atomic=${atomic}`, {
    body: ways.map((way) => ({ action: "CREATE_TRANSACTION", data: pay(way, 2n ** 60n + 1n) })),
  });

const FILLING = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => `world -> filling:${name}`);

/** Changes of a ledger, some of which are refused or change nothing. `other` is the second ledger. */
const CHANGES = {
  "a transaction": (ledger: string) => post(ledger, pay("world -> a", 3)),
  "a transaction in the past": (ledger: string) =>
    post(ledger, pay("world -> b", 1, { timestamp: "2020-01-01T00:00:00Z" })),
  "a transaction in the future": (ledger: string) =>
    post(ledger, pay("world -> b", 1, { timestamp: "2099-01-01T00:00:00Z" })),
  "a fee": (ledger: string) => post(ledger, pay("world -> c", 1, { metadata: { kind: "fee" } })),
  "an overdraft": (ledger: string) => post(ledger, pay("nobody -> a", 10)),
  "a dry run": (ledger: string) =>
    inLedger(ledger, "/transactions?dryRun=true", { body: pay("world -> dry", 10) }),
  "metadata of an account": (ledger: string) =>
    inLedger(ledger, "/accounts/world/metadata", { body: { at: crypto.randomUUID() } }),
  "a revert": (ledger: string) =>
    inLedger(ledger, "/transactions/1/revert?force=true", { method: "POST" }),
  "a bulk that is rolled back": (ledger: string) =>
    bulk(ledger, ["world -> rolled:back", "nobody -> a"], true),
  "a bulk that fails at its end": (ledger: string) =>
    bulk(ledger, ["world -> kept", "nobody -> a"], false),
  eviction: (ledger: string) => evict(objectOf(ledger)),
  purge: async (ledger: string) => {
    await objectOf(ledger).purge(await uuidOf(ledger));
    await bulk(ledger, FILLING, true);
  },
  "another log": async (ledger: string, other: string) => {
    const exported = await inLedger(other, "/logs/export", { method: "POST" });
    const body = new TextDecoder().decode(await exported.arrayBuffer());
    await objectOf(ledger).purge(await uuidOf(ledger));
    const headers = { "content-type": "application/octet-stream" };
    expect((await inLedger(ledger, "/logs/import", { headers, body })).status).toBe(204);
  },
};

const steps = fc.array(
  fc.record({
    at: fc.constantFrom(0, 1),
    change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])), // the keys of `CHANGES`
    reads: fc.uniqueArray(fc.nat(READS.length - 1), { minLength: 2, maxLength: 4 }),
    asTexts: fc.boolean(),
  }),
  { minLength: 4, maxLength: 10 },
);

const textsOf = (
  ledger: string,
  { reads, asTexts }: { readonly reads: readonly number[]; readonly asTexts: boolean },
): Promise<string[]> =>
  Promise.all(
    reads.map(async (read) => {
      const headers = { "formance-bigint-as-string": String(asTexts) };
      const answer = await inLedger(ledger, READS[read] ?? "", { headers });
      return `${answer.status} ${await answer.text()}`;
    }),
  );

test("clients read the stored state, whatever was read before or is written meanwhile", async () => {
  const run = fc.asyncProperty(steps, async (made) => {
    const bucket = freshBucket();
    const ledgers = [await ledgerIn(bucket), await ledgerIn(bucket)] as const;
    for (const ledger of ledgers) await bulk(ledger, FILLING, true);
    for (const step of made) {
      const [ledger, other] = step.at === 0 ? ledgers : ledgers.toReversed();
      if (ledger === undefined || other === undefined) throw new Error("there are two ledgers");
      // The Worker keeps an answer at the second request, and learns at the third request that it is unchanged.
      for (let time = 0; time < 3; time++) await textsOf(ledger, step);
      const before = await textsOf(ledger, step);
      const isOneWrite = !["purge", "another log", "a bulk that fails at its end"].includes(
        step.change,
      );
      const changing = CHANGES[step.change](ledger, other);
      const meanwhile = isOneWrite ? [textsOf(ledger, step), textsOf(ledger, step)] : [];
      await changing;
      const after = await textsOf(ledger, step);
      const ofOther = await textsOf(other, step);
      for (const texts of await Promise.all(meanwhile)) {
        for (const [index, text] of texts.entries()) {
          expect([before[index], after[index]]).toContain(text);
        }
      }
      for (const name of ledgers) await evict(objectOf(name));
      expect({ step, texts: await textsOf(ledger, step) }).toEqual({ step, texts: after });
      expect({ step, texts: await textsOf(other, step) }).toEqual({ step, texts: ofOther });
    }
  });
  await fc.assert(run, { numRuns: 8 });
});
