import type { BucketContext } from "./context.ts";
import { fanOut, type WorkLimits, type WorkResult } from "./fan-out.ts";
import type { Order } from "#platform/paging/pagination.ts";

/** Most objects that one invocation tells: the platform allows it 1,000 calls, and a sweep has other tasks. */
export const TELLS_MAX = 300;

export interface TellOptions {
  /** All buckets, where it is not given. */
  readonly bucket?: string;
  /** Two that tell the same meet in the middle when they go against each other. */
  readonly order: Order;
  readonly limits: WorkLimits;
}

/** Tells objects of the deletions and restorations that they may not know of. */
export const tellObjects = (
  { store, tell }: Pick<BucketContext, "store" | "tell">,
  { bucket, order, limits }: TellOptions,
): Promise<WorkResult> =>
  fanOut(
    {
      list: (after, limit) => store.listUntold(bucket, { order, after, limit }),
      run: tell,
      markDone: (changes) => store.markTold(changes),
    },
    limits,
  );
