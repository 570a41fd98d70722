import { expect, test } from "vitest";
import { inLedger, objectOf, pay, post } from "#test/support/ledger/api.ts";
import {
  deleteBucket,
  freshBucket,
  ledgerIn,
  restoreBucket,
  uuidOf,
} from "#test/support/ledger/buckets.ts";
import { evict } from "#test/support/platform/evict.ts";

const READS = [
  "/transactions",
  "/transactions?expand=volumes,effectiveVolumes",
  `/transactions?query=${encodeURIComponent('{"$match":{"metadata[kind]":"fee"}}')}`,
  "/transactions/1",
  "/transactions/1?expand=volumes,effectiveVolumes",
  "/transactions/7",
  "/accounts?expand=volumes",
  "/accounts/a?expand=volumes,effectiveVolumes",
  "/accounts/new",
  "/logs",
];

/** The kinds of writes to a ledger. */
const WRITES: Readonly<Record<string, (ledger: string) => Promise<Response>>> = {
  "a transaction": (ledger) => post(ledger, pay("world -> a", 2)),
  "a transaction in the past": (ledger) =>
    post(ledger, pay("a -> b", 1, { timestamp: "2020-01-01T00:00:00Z" })),
  "metadata of a transaction": (ledger) =>
    inLedger(ledger, "/transactions/1/metadata", { body: { kind: "fee" } }),
  "its deletion": (ledger) =>
    inLedger(ledger, "/transactions/1/metadata/kind", { method: "DELETE" }),
  "metadata of an account": (ledger) =>
    inLedger(ledger, "/accounts/a/metadata", { body: { owner: "b" } }),
  "metadata of a new account": (ledger) =>
    inLedger(ledger, "/accounts/new/metadata", { body: { owner: "b" } }),
  "a bulk": (ledger) =>
    inLedger(ledger, "/_bulk", {
      body: [
        { action: "CREATE_TRANSACTION", data: pay("world -> c", 1) },
        { action: "REVERT_TRANSACTION", data: { id: 1 } },
      ],
    }),
};

const textsOf = (ledger: string): Promise<string[]> =>
  Promise.all(READS.map(async (path) => (await inLedger(ledger, path)).text()));

test("an answer is repeated until a write of any kind, and then is what the storage says", async () => {
  const ledger = await ledgerIn(freshBucket());
  for (const [name, write] of Object.entries(WRITES)) {
    const before = await textsOf(ledger);
    // The Worker keeps a page at the second request, and learns at the third request that it is unchanged.
    for (let time = 0; time < 3; time++) {
      expect({ name, texts: await textsOf(ledger) }).toEqual({ name, texts: before });
    }
    expect({ name, isDone: (await write(ledger)).ok }).toEqual({ name, isDone: true });
    const after = await textsOf(ledger);
    expect({ name, texts: after }).not.toEqual({ name, texts: before });
    await evict(objectOf(ledger)); // an evicted object has no answers in memory
    expect({ name, texts: await textsOf(ledger) }).toEqual({ name, texts: after });
  }
});

test("amounts are written as each request wants them", async () => {
  const ledger = await ledgerIn(freshBucket());
  const asText = { headers: { "formance-bigint-as-string": "true" } };
  for (const path of ["/transactions", "/transactions/1", "/accounts/a?expand=volumes", "/logs"]) {
    const texts = [
      await (await inLedger(ledger, path)).text(),
      await (await inLedger(ledger, path, asText)).text(),
      await (await inLedger(ledger, path)).text(),
    ];
    expect(texts[1]).toContain('"100"');
    expect(texts[0]).not.toContain('"100"');
    expect(texts[2]).toBe(texts[0]);
  }
});

test("kept answers of a deleted ledger are not repeated", async () => {
  const bucket = freshBucket();
  const ledger = await ledgerIn(bucket);
  const before = await textsOf(ledger);
  await deleteBucket(bucket);
  expect((await inLedger(ledger, "/transactions")).status).toBe(404);
  await restoreBucket(bucket);
  expect(await textsOf(ledger)).toEqual(before);
});

test("pages that are kept of one ledger are not those of another one", async () => {
  const [ledger, other] = [await ledgerIn(freshBucket()), await ledgerIn(freshBucket())];
  await post(other, pay("world -> elsewhere", 5));
  for (let time = 0; time < 4; time++) {
    const logs = await (await inLedger(ledger, "/logs")).text();
    const logsOfOther = await (await inLedger(other, "/logs")).text();
    expect(logs).not.toContain("elsewhere");
    expect(logsOfOther).toContain("elsewhere");
  }
});

test("kept answers of a ledger are not shown for the next ledger in its object", async () => {
  const ledger = await ledgerIn(freshBucket());
  for (let time = 0; time < 4; time++) {
    expect(await (await inLedger(ledger, "/logs")).text()).toContain('"destination":"a"');
  }
  await objectOf(ledger).purge(await uuidOf(ledger));
  await post(ledger, pay("world -> b", 100));
  for (let time = 0; time < 4; time++) {
    const text = await (await inLedger(ledger, "/logs")).text();
    expect(text).not.toContain('"destination":"a"');
    expect(text).toContain('"destination":"b"');
  }
});
