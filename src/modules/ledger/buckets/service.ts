import { type BucketContext, type BucketPorts, contextOf } from "./context.ts";
import { purgeTimeOf } from "./purge.ts";
import { type Bucket, keptIn } from "./store.ts";
import { sweep } from "./sweep.ts";
import { isBucketName } from "#ledger-engine";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";
import { fromMillis, type Timestamp } from "#platform/time.ts";

/** Longest time until the request is answered, in milliseconds. Then the sweep completes the deletion or restoration. */
const ANSWER_MS_MAX = 10_000;

/** Most objects that one request calls, because the platform allows it 1,000 calls. */
const SYNCS_MAX = 300;

/** A bucket, and when the first of its deleted ledgers is purged. */
export interface ListedBucket extends Bucket {
  readonly purgeAt: Timestamp | undefined;
}

/**
 * The use cases of buckets. These rules hold for all of them:
 *
 * - The catalogue decides: one statement deletes or restores all ledgers of a bucket, and numbers the
 *   change in each row. Lists show it at once.
 * - Afterwards, each object is told of the latest change of its row; see `Reconciler`. An object keeps the number of
 *   the last change that it knows, so that calls may come twice, late and in any order.
 * - A ledger that is created while its bucket is deleted is deleted with it or exists, because its row came before the
 *   statement or after it. Objects are made from their rows only, so that no late call can make one.
 * - A statement that checks the date of deletion again begins a purge. From then on, no restoration brings the
 *   ledger back, and its name is free once its storage is empty and its row gone.
 */
export class BucketService {
  readonly #context: BucketContext;

  constructor(context: BucketContext) {
    this.#context = context;
  }

  static from(context: ServiceContext, ports: Partial<BucketPorts> = {}): BucketService {
    return new BucketService(contextOf(context, ports));
  }

  /** The buckets that have ledgers, deleted ones included. */
  async listBuckets(query: PageQuery): Promise<Page<ListedBucket>> {
    return mapPage(await this.#context.store.list(query), (bucket) => {
      const { deletedAt } = bucket;
      const purgeMs = deletedAt === undefined ? undefined : purgeTimeOf(deletedAt, this.#context);
      return { ...bucket, purgeAt: purgeMs === undefined ? undefined : fromMillis(purgeMs) };
    });
  }

  /** Deletes the ledgers of a bucket, which can be restored until they are purged. An unknown bucket is no failure. */
  async deleteBucket(bucket: string): Promise<void> {
    const { store, clock } = this.#context;
    const change = this.#audited("delete", bucket);
    await this.#change(bucket, () => store.delete(bucket, clock(), change));
  }

  /** Restores the deleted ledgers of a bucket. An unknown bucket is no failure. */
  async restoreBucket(bucket: string): Promise<void> {
    const { store, clock } = this.#context;
    const change = this.#audited("restore", bucket);
    await this.#change(bucket, () => store.restore(bucket, clock(), change));
  }

  /** Continues interrupted work, purges the ledgers that are due, and returns when to sweep next, in milliseconds since the epoch. */
  sweep(): Promise<number | undefined> {
    return sweep(this.#context);
  }

  #audited(verb: string, bucket: string): AuditedChange {
    const action = { action: `ledger.bucket.${verb}`, object: `buckets/${bucket}` };
    return new AuditedChange(this.#context.caller, action);
  }

  async #change(bucket: string, store: () => Promise<void>): Promise<void> {
    if (!isBucketName(bucket)) {
      throw new AppError(
        "VALIDATION",
        `invalid bucket name '${bucket}': expected 1 to 63 letters, digits, '_' and '-'`,
      );
    }
    if (!(await this.#context.store.hasLedgers(bucket))) return;
    const { reconciler } = this.#context;
    await reconciler.change(store);
    await reconciler.settle({
      rowsMax: SYNCS_MAX,
      untilMs: Date.now() + ANSWER_MS_MAX,
      scope: keptIn(bucket),
      waitsForSweep: true,
    });
  }
}
