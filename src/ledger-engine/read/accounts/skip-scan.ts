import type { SortedRange } from "./account-paths.ts";
import type { Condition } from "./account-sift.ts";
import {
  type AccountWalk,
  AddressWalk,
  EVERYWHERE,
  type Passed,
  type Sifted,
  type WalkStep,
} from "./account-walks.ts";
import { ScanReader } from "./scan-reader.ts";
import type { AddressGaps } from "#ledger-engine/rules/filters/address-gaps.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The fewest and the most accounts of a step. */
const STEP_MIN = 64;
const STEP_MAX = 5000;

/**
 * A skip scan (loose index scan): walks by address, and jumps over the gaps between the addresses that may match. A step tests some
 * accounts, then jumps to the end of the gap in which the last of them is:
 *
 *     pattern     users:                          (two segments)
 *     addresses   users:1   users:2:a … users:2:z   users:3   users:4:a …
 *     steps       ├──────────────┤ ─────────────► ├────────────────┤ ───►
 *
 * As long as the gaps are longer than a step, steps are short; else their lengths double. So the scan takes, up to a factor, no longer than
 * testing all accounts, nor than jumping over every gap.
 */
export class SkipScan {
  readonly #walk: SkippingWalk;
  readonly #gaps: AddressGaps | undefined;
  #size = STEP_MIN;

  constructor(walk: SkippingWalk, gaps: AddressGaps | undefined) {
    this.#walk = walk;
    this.#gaps = gaps;
  }

  /** Continues by at most `sizeMax` accounts, and gives those that meet a condition, which every match meets. */
  next(sizeMax: number, condition: Condition): Sifted {
    return this.#jumping(this.#walk.sift(Math.min(this.#size, sizeMax), condition));
  }

  /** Continues, and gives the condition of the accounts of the step, which are not read. */
  pass(): Passed {
    return this.#jumping(this.#walk.pass(this.#size));
  }

  /** Jumps behind the gap in which a step has ended. */
  #jumping<Step extends WalkStep>(step: Step): Step {
    this.#size = Math.min(2 * this.#size, STEP_MAX);
    const last = step.last?.address;
    const gap = last === undefined ? undefined : this.#gaps?.(last);
    if (gap !== undefined && this.#walk.skip(gap)) this.#size = STEP_MIN;
    return step;
  }
}

/** A walk that can jump over addresses. */
export type SkippingWalk = Required<Pick<AccountWalk, "sift" | "pass" | "skip">>;

export const canSkip = (walk: AccountWalk): walk is AccountWalk & SkippingWalk =>
  walk.sift !== undefined && walk.pass !== undefined && walk.skip !== undefined;

/** Selects accounts by ranges of addresses (undefined for all), a condition, and the gaps between the addresses that meet it. */
export interface SiftedRanges {
  readonly ranges: readonly SortedRange[] | undefined;
  readonly condition: Condition;
  readonly gaps: AddressGaps | undefined;
}

/** The ids and addresses of the accounts that meet a condition, in the order of addresses. A step may find none. */
export function* siftedAccounts(
  sql: Sql,
  { condition, ...selected }: SiftedRanges,
): Generator<Sifted> {
  const scan = skipScanOf(sql, selected);
  for (;;) {
    const sifted = scan.next(STEP_MAX, condition);
    yield sifted;
    if (sifted.isEnd) return;
  }
}

/** The conditions of the accounts of each step that meet a condition. A statement can then use the accounts without their being read. */
export function* siftedSteps(
  sql: Sql,
  { condition, ...selected }: SiftedRanges,
): Generator<Condition> {
  const scan = skipScanOf(sql, selected);
  for (;;) {
    const { within, isEnd } = scan.pass();
    if (within !== undefined) {
      yield {
        where: `${within.where} AND ${condition.where}`,
        bindings: [...within.bindings, ...condition.bindings],
      };
    }
    if (isEnd) return;
  }
}

/** A skip scan by address. */
function skipScanOf(
  sql: Sql,
  { ranges = EVERYWHERE, gaps }: Omit<SiftedRanges, "condition">,
): SkipScan {
  const order = { column: "address", order: "asc" } as const;
  const reader = new ScanReader(sql, order, { fields: [] });
  return new SkipScan(new AddressWalk(reader, order, ranges), gaps);
}
