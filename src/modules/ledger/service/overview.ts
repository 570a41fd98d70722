import { readLedger, type UpTo, upToNow } from "./reads.ts";
import type {
  AccountSegment,
  LedgerActivity,
  ActivityQuery,
  SubtreeQuery,
  SubtreeSum,
} from "#ledger-engine";
import { wholePage } from "#modules/ledger/answers/whole-page.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/** Most turns of a page of the tree of accounts, each of some 10 ms. */
const TREE_TURNS_MAX = 15;

/** Reads that show a large ledger as a whole: its tree of accounts, with sums, and its activity. */
export class LedgerOverview {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  static from(context: ServiceContext): LedgerOverview {
    return new LedgerOverview(context);
  }

  /** A page of a level of the tree of accounts. A page at a point in time may end early, and its cursor goes on. Throws `VALIDATION`. */
  listTree(ledger: string, query: PageQuery): Promise<Page<AccountSegment>> {
    const read = (part: PageQuery) =>
      readLedger(this.#context, { ledger, name: "accountTree", args: [part] });
    return wholePage(query, read, TREE_TURNS_MAX);
  }

  /** Goes on with a sum for a short time. Throws `VALIDATION` for a date of which the ledger keeps no balances. */
  sumSubtree(ledger: string, query: SubtreeQuery): Promise<SubtreeSum> {
    // The object decides how many steps the call does.
    const budget = { steps: 1, nowMs: 0 };
    return readLedger(this.#context, { ledger, name: "subtreeSum", args: [query, budget] });
  }

  /** What was written to the ledger over time, up to `endTime` or now. Throws `VALIDATION` for a bad period. */
  readActivity(ledger: string, query: UpTo<ActivityQuery>): Promise<LedgerActivity> {
    return readLedger(this.#context, { ledger, name: "activity", args: [upToNow(query)] });
  }
}
