import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, vi } from "vitest";
import { objectOf, okBodyOf, pay, post } from "./api.ts";
import type { BucketPorts } from "#modules/ledger/buckets/context.ts";
import { BucketService } from "#modules/ledger/buckets/service.ts";
import { LedgerService } from "#modules/ledger/index.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { type ApiInit, api, freshName } from "#test/support/platform/api.ts";

/** A stored row of the catalogue. */
export interface CatalogueRow {
  readonly uuid: string;
  readonly deleted_at: string | null;
  readonly revision: number;
  readonly synced_revision: number;
  readonly purging_since: string | null;
}

/** The name of a bucket that is restored when the test ends, so that sweeps of other tests do not find it deleted. */
export function freshBucket(): string {
  const bucket = freshName("bucket");
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await restoreBucket(bucket);
  });
  return bucket;
}

/** Creates a ledger with a transaction in a bucket; returns the ledger's name. */
export async function ledgerIn(bucket: string): Promise<string> {
  const name = freshName("ledger");
  await createIn(bucket, name);
  await okBodyOf(post(name, pay("world -> a", 100, { metadata: { k: "v" } })));
  return name;
}

export async function createIn(bucket: string, name: string): Promise<void> {
  const response = await api(`/api/ledger/v2/${name}`, { body: { bucket } });
  if (response.status !== 204) throw new Error(`no ledger: ${await response.text()}`);
}

export const rowOf = async (ledger: string): Promise<CatalogueRow | null> =>
  env.DB.prepare("SELECT * FROM ledgers WHERE name = ?").bind(ledger).first<CatalogueRow>();

export const uuidOf = async (ledger: string): Promise<string> =>
  present(await rowOf(ledger), "the ledger has a row").uuid;

/** Whether the object of a ledger serves requests, whatever the catalogue says. */
export const isServed = async (ledger: string): Promise<boolean> =>
  (await objectOf(ledger).assertCreated()).ok;

/** Begins an audit of a ledger and leaves it unfinished. */
export async function halfAudited(ledger: string): Promise<void> {
  const info = await LedgerService.from(systemContext(env, "test")).getLedger(ledger);
  const answer = await runInDurableObject(env.AUDITS.getByName(ledger), (audit) => {
    vi.spyOn(Date, "now").mockReturnValueOnce(0); // the call believes that it began long ago, so its time is up at once
    return audit.audit(info);
  });
  expect(answer).toMatchObject({ value: { report: { status: "running" } } });
}

/** The stored state of an object: the names of its tables, and whether its alarm is set. */
export const storageOf = (
  object: DurableObjectStub,
): Promise<{ tables: string[]; alarm: number | null }> =>
  runInDurableObject(object, async (_, { storage }) => ({
    tables: storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("_cf_")),
    alarm: await storage.getAlarm(),
  }));

export const NO_STORAGE = { tables: [], alarm: null };

/** The use cases of buckets at a time. Given settings and ports replace the real ones. */
export function bucketsAt(
  nowMs: number,
  { settings = {}, ...ports }: Partial<BucketPorts> & { settings?: Record<string, string> } = {},
): BucketService {
  return BucketService.from(systemContext({ ...env, ...settings }, "test"), {
    clock: () => fromMillis(nowMs),
    armClock: async () => undefined,
    watchClock: async () => undefined,
    ...ports,
  });
}

export const deleteBucket = (bucket: string, init: ApiInit = {}): Promise<Response> =>
  api(`/api/ledger/v2/_/buckets/${bucket}`, { method: "DELETE", ...init });

export const restoreBucket = (bucket: string, init: ApiInit = {}): Promise<Response> =>
  api(`/api/ledger/v2/_/buckets/${bucket}/restore`, { method: "POST", ...init });

export interface ListedLedger {
  readonly name: string;
  readonly deletedAt?: string;
}

/** The ledgers of a bucket, as the list of ledgers shows them. */
export async function ledgersIn(bucket: string, includeDeleted = false): Promise<ListedLedger[]> {
  const query = encodeURIComponent(JSON.stringify({ $match: { bucket } }));
  const { cursor } = await okBodyOf<{ cursor: { data: ListedLedger[] } }>(
    api(`/api/ledger/v2?includeDeleted=${includeDeleted}&query=${query}`),
  );
  return cursor.data.map(({ name, deletedAt }) => ({ name, ...(deletedAt && { deletedAt }) }));
}

export interface ListedBucket {
  readonly name: string;
  readonly ledgers: number;
  readonly deletedLedgers: number;
  readonly deletedAt?: string;
  readonly purgeAt?: string;
}

/** A page of the list of buckets. */
export async function bucketPage(query: string): Promise<{
  readonly data: ListedBucket[];
  readonly next: string;
  readonly previous?: string;
}> {
  const { cursor } = await okBodyOf<{
    cursor: { data: ListedBucket[]; next: string; previous?: string };
  }>(api(`/api/florin/v1/buckets?${query}`));
  return cursor;
}

/** A bucket in the list of buckets; undefined for a bucket that is not in the list. */
export async function bucketOf(name: string): Promise<ListedBucket | undefined> {
  let cursor = "";
  do {
    const page = await bucketPage(`pageSize=15&cursor=${cursor}`);
    const found = page.data.find((bucket) => bucket.name === name);
    if (found !== undefined) return found;
    cursor = page.next;
  } while (cursor !== "");
  return undefined;
}
