import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { systemContext } from "#platform/context.ts";
import { inLedger, objectOf, okBodyOf } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const clientOf = (name: string): LedgerClient => new LedgerClient(systemContext(env, "test"), name);

const HALF = { HASH_LOGS: "DISABLED", MOVES_HISTORY: "OFF" } as const;
/** Features without the history of moves, and without the features that depend on it. */
const FEATURES = { ...HALF, MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" } as const;

test("a ledger is created with its bucket, metadata and features", async () => {
  const [name, bucket] = [freshName("ledger"), freshName("bucket")];
  await clientOf(name).create({ bucket, metadata: { owner: "wallets" }, features: FEATURES });
  const { data } = await okBodyOf<{ data: object }>(api(`/api/ledger/v2/${name}`));
  expect(data).toMatchObject({ name, bucket, metadata: { owner: "wallets" }, features: FEATURES });
});

test("a repeated creation changes nothing, even after an eviction", async () => {
  const name = freshName("ledger");
  const ledger = clientOf(name);
  await ledger.create({ metadata: { a: "first" }, features: FEATURES });
  await ledger.commit(
    { postings: [{ source: "world", destination: "a", amount: 1n, asset: "USD" }] },
    { idempotencyKey: undefined },
  );
  await evictDurableObject(objectOf(name));
  await clientOf(name).create({ bucket: "", metadata: { a: "second" }, features: FEATURES });
  expect(await ledger.balance("a", "USD")).toBe(1n);
  const { data } = await okBodyOf<{ data: object }>(api(`/api/ledger/v2/${name}`));
  expect(data).toMatchObject({ bucket: "_default", metadata: { a: "first" } });
});

test("ten creations at once make one ledger", async () => {
  const name = freshName("ledger");
  await Promise.all(Array.from({ length: 10 }, () => clientOf(name).create()));
  expect((await inLedger(name, "/transactions")).status).toBe(200);
});

test("a creation of the same name with another bucket or other features is refused", async () => {
  const name = freshName("ledger");
  await clientOf(name).create();
  for (const other of [{ bucket: freshName("bucket") }, { features: FEATURES }]) {
    await expect(clientOf(name).create(other)).rejects.toMatchObject({
      kind: "LEDGER_ALREADY_EXISTS",
    });
  }
});

test("a deleted ledger keeps its name", async () => {
  const [name, bucket] = [freshName("ledger"), freshName("bucket")];
  const ledger = clientOf(name);
  await ledger.create({ bucket });
  expect((await api(`/api/ledger/v2/_/buckets/${bucket}`, { method: "DELETE" })).status).toBe(204);
  await expect(ledger.create({ bucket })).rejects.toMatchObject({ kind: "LEDGER_ALREADY_EXISTS" });
  await expect(ledger.account("a")).rejects.toMatchObject({ kind: "LEDGER_NOT_FOUND" });
});

test.each([
  ["a bad name", "a b", {}],
  ["a bad bucket", undefined, { bucket: "a b" }],
  ["features that do not go together", undefined, { features: { HASH_LOGS: "NO" as "SYNC" } }],
])("%s is refused, and makes no ledger", async (_, name = freshName("ledger"), creation = {}) => {
  await expect(clientOf(name).create(creation)).rejects.toMatchObject({ kind: "VALIDATION" });
  await expect(clientOf(name).account("a")).rejects.toMatchObject({ kind: "LEDGER_NOT_FOUND" });
});

test("a ledger is created by no other call: every call to one that does not exist is refused", async () => {
  const name = freshName("ledger");
  const ledger = clientOf(name);
  const postings = [{ source: "world", destination: "a", amount: 1n, asset: "USD" }];
  const script = "send [USD 1] (\n source = @world\n destination = @a\n)";
  const target = { targetType: "ACCOUNT", targetId: "a" } as const;
  const write = { idempotencyKey: "test-1" };
  const asked = [
    ledger.commit({ postings }, write),
    ledger.commit({ postings: [] }, write),
    ledger.run({ script }, write),
    ledger.saveMetadata(target, { a: "b" }, write),
    ledger.account("a"),
    ledger.balance("a", "USD"),
    ledger.aggregateBalances(),
    ledger.accounts().page(),
    ledger.transactions().page(),
    Array.fromAsync(ledger.accounts()),
  ];
  const kinds = await Promise.all(
    asked.map((one) => one.catch(({ kind }: { kind: string }) => kind)),
  );
  expect(kinds).toEqual(asked.map(() => "LEDGER_NOT_FOUND"));
  expect((await api(`/api/ledger/v2/${name}`)).status).toBe(404);
});

test("a principal that is bound to ledgers reaches only these", async () => {
  const name = freshName("ledger");
  const context = systemContext(env, "test");
  const bound = { ...context, principal: { ...context.principal, ledgers: [name] } };
  await new LedgerClient(bound, name).create();
  expect(() => new LedgerClient(bound, freshName("ledger"))).toThrow(
    expect.objectContaining({ kind: "UNAUTHENTICATED" }),
  );
});
