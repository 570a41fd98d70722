import type { V2Transaction } from "@formance/formance-sdk/sdk/models/ledger";
import { beforeAll, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { freshLedger } from "#test/support/ledger/api.ts";
import { freshName } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

const stack = sdk();
const { v1, v2 } = stack.ledger;

const posting = (source: string, destination: string, amount: bigint) => ({
  source,
  destination,
  amount,
  asset: "USD/2",
});

let ledger: string;
beforeAll(async () => {
  ledger = await freshLedger();
});

type CreateFields = Omit<
  Parameters<typeof v2.createTransaction>[0]["v2PostTransaction"],
  "postings" | "metadata"
> & { metadata?: Record<string, string> };

async function create(
  amount: bigint,
  fields: CreateFields = {},
  options: { ledger?: string; idempotencyKey?: string; dryRun?: boolean } = {},
): Promise<V2Transaction> {
  const answer = await v2.createTransaction({
    ledger,
    ...options,
    v2PostTransaction: {
      metadata: {},
      postings: [posting("world", "shops:42", amount)],
      ...fields,
    },
  });
  expect(answer.statusCode).toBe(200);
  return present(answer.v2CreateTransactionResponse, "a success has a body").data;
}

const UNKNOWN = "no-such-ledger";

describe("ledgers", () => {
  test("ledgers are created, read and listed with all their fields", async () => {
    const name = freshName();
    const created = await v2.createLedger({
      ledger: name,
      v2CreateLedgerRequest: {
        bucket: "b1",
        metadata: { k: "v" },
        features: { HASH_LOGS: "DISABLED" },
      },
    });
    expect(created.statusCode).toBe(204);
    const { v2GetLedgerResponse } = await v2.getLedger({ ledger: name });
    const read = present(v2GetLedgerResponse, "a success has a body").data;
    expect(read).toMatchObject({ name, bucket: "b1", metadata: { k: "v" } });
    expect(read.features).toMatchObject({ HASH_LOGS: "DISABLED", MOVES_HISTORY: "ON" });
    expect(Date.now() - read.addedAt.getTime()).toBeLessThan(60_000);
    const { v2LedgerListResponse } = await v2.listLedgers({ pageSize: 1000 });
    expect(v2LedgerListResponse?.cursor.data).toContainEqual(read);
  });

  test("ledgers without options get the defaults", async () => {
    const { v2GetLedgerResponse } = await v2.getLedger({ ledger });
    expect(v2GetLedgerResponse?.data).toMatchObject({
      name: ledger,
      bucket: "_default",
      metadata: {},
      features: { HASH_LOGS: "SYNC" },
    });
  });

  test("ledgers end in the declared errors", async () => {
    expect(await codeOf(v2.createLedger({ ledger, v2CreateLedgerRequest: {} }))).toBe(
      "LEDGER_ALREADY_EXISTS",
    );
    expect(await codeOf(v2.createLedger({ ledger: "a b", v2CreateLedgerRequest: {} }))).toBe(
      "VALIDATION",
    );
    expect(await codeOf(v2.getLedger({ ledger: UNKNOWN }))).toBe("NOT_FOUND");
    expect(await codeOf(v2.listLedgers({ cursor: "!" }))).toBe("VALIDATION");
  });
});

describe("transactions", () => {
  test("transactions are created with every field and read the same", async () => {
    const timestamp = new Date("2026-03-01T09:30:00.250Z");
    const reference = freshName("ref");
    const made = await create(1500n, {
      timestamp,
      reference,
      metadata: { channel: "web" },
      accountMetadata: { "shops:42": { tier: "gold" } },
    });
    expect(made).toMatchObject({
      timestamp,
      reference,
      metadata: { channel: "web" },
      postings: [posting("world", "shops:42", 1500n)],
      reverted: false,
    });
    expect(made.insertedAt).toEqual(made.updatedAt);
    const volumes = made.postCommitVolumes?.["shops:42"]?.["USD/2"];
    expect((volumes?.input ?? 0n) - (volumes?.output ?? 0n)).toBe(volumes?.balance);
    const { v2GetTransactionResponse } = await v2.getTransaction({
      ledger,
      id: made.id,
      expand: "volumes",
    });
    const { postCommitEffectiveVolumes: _, preCommitEffectiveVolumes: __, ...bare } = made;
    expect(v2GetTransactionResponse?.data).toEqual(bare);
  });

  test("transactions end in the declared errors", async () => {
    const reference = freshName("ref");
    await create(1n, { reference });
    expect(await codeOf(create(1n, { reference }))).toBe("CONFLICT");
    expect(
      await codeOf(create(1n, { postings: [posting("empty", "b", 1n)] } as CreateFields)),
    ).toBe("INSUFFICIENT_FUND");
    expect(await codeOf(create(1n, { postings: [] } as CreateFields))).toBe("NO_POSTINGS");
    expect(await codeOf(create(-1n))).toBe("VALIDATION");
    expect(await codeOf(create(1n, {}, { ledger: UNKNOWN }))).toBe("LEDGER_NOT_FOUND");
    expect(await codeOf(v2.getTransaction({ ledger, id: 99_999n }))).toBe("NOT_FOUND");
    expect(await codeOf(v2.getTransaction({ ledger: UNKNOWN, id: 1n }))).toBe("LEDGER_NOT_FOUND");
  });

  test("transactions are made once for an idempotency key, and the second answer says so", async () => {
    const idempotencyKey = freshName("key");
    const request = {
      ledger,
      idempotencyKey,
      v2PostTransaction: { metadata: {}, postings: [posting("world", "a", 1n)] },
    };
    const [first, second] = [
      await v2.createTransaction(request),
      await v2.createTransaction(request),
    ];
    expect(second.v2CreateTransactionResponse).toEqual(first.v2CreateTransactionResponse);
    expect(first.headers["idempotency-hit"]).toBeUndefined();
    expect(second.headers["idempotency-hit"]).toEqual(["true"]);
    expect(await codeOf(create(2n, {}, { idempotencyKey }))).toBe("VALIDATION");
  });

  test("transactions tried in a dry run use up an id and leave nothing", async () => {
    const last = await create(1n);
    const dry = await create(1n, {}, { dryRun: true });
    const next = await create(1n);
    expect([dry.id, next.id]).toEqual([last.id + 1n, last.id + 2n]);
    expect(await codeOf(v2.getTransaction({ ledger, id: dry.id }))).toBe("NOT_FOUND");
  });

  test("transactions are listed newest first, page by page", async () => {
    const own = await freshLedger();
    for (let count = 0; count < 5; count++) await create(1n, {}, { ledger: own });
    const ids: bigint[] = [];
    let cursor: string | undefined;
    do {
      const { v2TransactionsCursorResponse } = await v2.listTransactions({
        ledger: own,
        ...(cursor === undefined ? { pageSize: 2, expand: "volumes" } : { cursor }),
      });
      const page = present(v2TransactionsCursorResponse, "a success has a body").cursor;
      expect(page.pageSize).toBe(2);
      expect(page.hasMore).toBe(page.next !== "");
      expect(page.data.every(({ postCommitVolumes }) => postCommitVolumes !== undefined)).toBe(
        true,
      );
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined && cursor !== "");
    expect(ids).toEqual([5n, 4n, 3n, 2n, 1n]);
    expect(await codeOf(v2.listTransactions({ ledger: own, sort: "color" }))).toBe("VALIDATION");
    expect(await codeOf(v2.listTransactions({ ledger: UNKNOWN }))).toBe("LEDGER_NOT_FOUND");
  });

  test("transactions are reverted once", async () => {
    const own = await freshLedger();
    const made = await create(7n, {}, { ledger: own });
    const answer = await v2.revertTransaction({
      ledger: own,
      id: made.id,
      v2RevertTransactionRequest: { metadata: { why: "mistake" } },
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.v2CreateTransactionResponse?.data).toMatchObject({
      id: 2n,
      postings: [posting("shops:42", "world", 7n)],
      metadata: { why: "mistake", "com.formance.spec/state/reverts": "1" },
    });
    const { v2GetTransactionResponse } = await v2.getTransaction({ ledger: own, id: made.id });
    expect(v2GetTransactionResponse?.data).toMatchObject({ reverted: true });
    expect(await codeOf(v2.revertTransaction({ ledger: own, id: made.id }))).toBe("ALREADY_REVERT");
    expect(await codeOf(v2.revertTransaction({ ledger: own, id: 99n }))).toBe("NOT_FOUND");
  });

  test("transactions are reverted at their own date", async () => {
    const timestamp = new Date("2020-02-03T04:05:06Z");
    const { id } = await create(7n, { timestamp });
    const answer = await v2.revertTransaction({ ledger, id, atEffectiveDate: true });
    expect(answer.v2CreateTransactionResponse?.data.timestamp).toEqual(timestamp);
  });

  test("transactions get and lose metadata", async () => {
    const { id } = await create(1n);
    const key = { ledger, id, idempotencyKey: freshName("key") };
    const added = [
      await v2.addMetadataOnTransaction({ ...key, requestBody: { state: "paid", "a/b": "é" } }),
      await v2.addMetadataOnTransaction({ ...key, requestBody: { state: "paid", "a/b": "é" } }),
    ];
    expect(added.map(({ statusCode }) => statusCode)).toEqual([204, 204]);
    expect(added.map(({ headers }) => headers["idempotency-hit"])).toEqual([undefined, ["true"]]);
    const metadataOf = async () =>
      (await v2.getTransaction({ ledger, id })).v2GetTransactionResponse?.data.metadata;
    expect(await metadataOf()).toEqual({ state: "paid", "a/b": "é" });
    const deleted = await v2.deleteTransactionMetadata({ ledger, id, key: "a/b" });
    expect(deleted.statusCode).toBe(204);
    expect(await metadataOf()).toEqual({ state: "paid" });
    expect(await codeOf(v2.deleteTransactionMetadata({ ledger, id, key: "a/b" }))).toBe(
      "NOT_FOUND",
    );
    const unknown = { ledger, id: 99_999n, requestBody: { k: "v" } };
    expect(await codeOf(v2.addMetadataOnTransaction(unknown))).toBe("NOT_FOUND");
  });
});

describe("accounts", () => {
  test("accounts are read and listed with their volumes", async () => {
    const own = await freshLedger();
    await create(10n, { accountMetadata: { "shops:42": { tier: "gold" } } }, { ledger: own });
    const { v2AccountResponse } = await v2.getAccount({
      ledger: own,
      address: "shops:42",
      expand: "volumes",
    });
    const account = present(v2AccountResponse, "a success has a body").data;
    expect(account).toMatchObject({
      address: "shops:42",
      metadata: { tier: "gold" },
      volumes: { "USD/2": { input: 10n, output: 0n, balance: 10n } },
    });
    const { v2AccountsCursorResponse } = await v2.listAccounts({ ledger: own, expand: "volumes" });
    const { data } = present(v2AccountsCursorResponse, "a success has a body").cursor;
    expect(data.map(({ address }) => address)).toEqual(["shops:42", "world"]);
    expect(data[0]).toEqual(account);
    expect(await codeOf(v2.getAccount({ ledger: own, address: "nobody" }))).toBe("NOT_FOUND");
    expect(await codeOf(v2.getAccount({ ledger: UNKNOWN, address: "a" }))).toBe("LEDGER_NOT_FOUND");
    expect(await codeOf(v2.listAccounts({ ledger: own, sort: "balance" }))).toBe("VALIDATION");
  });

  test("accounts get and lose metadata, also when they did not exist", async () => {
    const address = `users:${freshName()}`;
    const added = await v2.addMetadataToAccount({
      ledger,
      address,
      requestBody: { k: "v", l: "w" },
    });
    expect(added.statusCode).toBe(204);
    const deleted = await v2.deleteAccountMetadata({ ledger, address, key: "k" });
    expect(deleted.statusCode).toBe(204);
    const again = await v2.deleteAccountMetadata({ ledger, address, key: "k" });
    expect(again.statusCode).toBe(204);
    const { v2AccountResponse } = await v2.getAccount({ ledger, address });
    expect(v2AccountResponse?.data.metadata).toEqual({ l: "w" });
    const unknown = { ledger: UNKNOWN, address, requestBody: {} };
    expect(await codeOf(v2.addMetadataToAccount(unknown))).toBe("LEDGER_NOT_FOUND");
    expect(await codeOf(v2.deleteAccountMetadata({ ledger: UNKNOWN, address, key: "k" }))).toBe(
      "LEDGER_NOT_FOUND",
    );
  });
});

describe("a bulk", () => {
  const element = { action: "CREATE_TRANSACTION" as const };

  test("a bulk answers each element", async () => {
    const own = await freshLedger();
    const answer = await v2.createBulk({
      ledger: own,
      requestBody: [
        { ...element, data: { metadata: {}, postings: [posting("world", "a", 5n)] } },
        {
          action: "ADD_METADATA",
          data: { targetType: "TRANSACTION", targetId: 1n, metadata: { k: "v" } },
        },
        { action: "DELETE_METADATA", data: { targetType: "TRANSACTION", targetId: 1n, key: "k" } },
        { action: "REVERT_TRANSACTION", data: { id: 1n } },
      ],
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.v2BulkResponse?.data).toMatchObject([
      { responseType: "CREATE_TRANSACTION", logID: 1, data: { id: 1n } },
      { responseType: "ADD_METADATA", logID: 2 },
      { responseType: "DELETE_METADATA", logID: 3 },
      { responseType: "REVERT_TRANSACTION", logID: 4, data: { id: 2n } },
    ]);
    expect(answer.v2BulkResponse).not.toHaveProperty("errorCode");
  });

  test("a bulk that fails still answers each element", async () => {
    const own = await freshLedger();
    const answer = await v2.createBulk({
      ledger: own,
      continueOnFailure: true,
      requestBody: [
        { ...element, data: { metadata: {}, postings: [posting("a", "b", 5n)] } },
        { ...element, data: { metadata: {}, postings: [posting("world", "b", 5n)] } },
      ],
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.v2BulkResponse).toMatchObject({
      errorCode: "INSUFFICIENT_FUND",
      data: [
        { responseType: "ERROR", errorCode: "INSUFFICIENT_FUND" },
        { responseType: "CREATE_TRANSACTION" },
      ],
    });
    expect(await codeOf(v2.createBulk({ ledger: UNKNOWN, requestBody: [] }))).toBe(
      "LEDGER_NOT_FOUND",
    );
  });
});

describe("the service", () => {
  test("the ledger's service endpoint tells its version, its configuration and its health", async () => {
    const { v2ConfigInfo } = await v2.getInfo();
    expect(v2ConfigInfo?.server).toBe("ledger");
    expect(v2ConfigInfo?.version).toMatch(/^v2\./);
    const { configInfoResponse } = await v1.getInfo();
    expect(configInfoResponse?.data.server).toBe("ledger");
    expect(configInfoResponse?.data.config.storage.ledgers).toContain(ledger);
    const { getVersionsResponse } = await stack.getVersions();
    expect(getVersionsResponse?.versions).toContainEqual(
      expect.objectContaining({ name: "ledger", health: true }),
    );
    const { v2: ofStranger } = sdk({ bearer: "nobody" }).ledger;
    // The client takes the public route of the server.
    expect((await ofStranger.getInfo()).statusCode).toBe(200);
    expect(await codeOf(ofStranger.getMetrics())).toBe("VALIDATION");
  });
});
