import {
  AccountVolumeReader,
  type AsOf,
  assertMoves,
  type Holding,
  type HoldingBatch,
  type HoldingFilter,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { fromMicros, MICROS_MAX, MICROS_MIN, toMicros } from "#platform/time.ts";
import type { Timestamp } from "#platform/time.ts";

/** A period from `oot` to `pit`. Both ends are included, and each may be missing. */
export interface VolumePeriod {
  readonly pit: Timestamp | undefined;
  readonly oot: Timestamp | undefined;
  /** Whether the dates are dates of insertion rather than effective dates. */
  readonly insertionDate: boolean;
}

/** The date after all transactions, in the order of effective dates. */
const LATEST = fromMicros(MICROS_MAX);

/** The last effective date that counts in a period; undefined if the order of insertion counts. */
export function lastDateOf({ pit, oot, insertionDate }: VolumePeriod): Timestamp | undefined {
  if (insertionDate || (pit === undefined && oot === undefined)) return undefined;
  return pit ?? LATEST;
}

/** Reads the volumes of a period: the volumes at its end minus the volumes before it. */
export class VolumeWindow {
  readonly #volumes: AccountVolumeReader;
  readonly #isEmpty: boolean;
  readonly #before: AsOf | undefined;
  readonly #end: AsOf;

  /** Throws `VALIDATION` for a period of a ledger that keeps no history of moves. */
  constructor(context: ReadContext, { pit, oot, insertionDate }: VolumePeriod, now: AsOf) {
    if (pit !== undefined || oot !== undefined) assertMoves(context.features);
    this.#volumes = AccountVolumeReader.of(context);
    this.#isEmpty = pit !== undefined && oot !== undefined && oot > pit;
    const first = oot === undefined ? MICROS_MIN : toMicros(oot);
    this.#before =
      first === MICROS_MIN
        ? undefined
        : this.#volumes.asOfDate(fromMicros(first - 1n), { insertionDate });
    if (pit !== undefined) this.#end = this.#volumes.asOfDate(pit, { insertionDate });
    // The end must be in the order of effective dates as well, so that its last move tells whether something moved in the period.
    else this.#end = this.#before?.date === undefined ? now : { ...now, date: LATEST };
  }

  /** The volumes of the period. Assets that did not move are left out; moves of zero amounts count as movement. */
  *batches(
    accounts: readonly number[],
    { assets, bounds = [] }: HoldingFilter,
  ): Generator<HoldingBatch> {
    if (this.#isEmpty) return;
    const before = this.#before;
    // Conditions are about the balance of the period, and must not be tested on the balance at its end.
    const wanted = { assets, bounds: before === undefined ? bounds : [] };
    for (const batch of this.#volumes.batches(accounts, this.#end, wanted)) {
      yield before === undefined
        ? batch
        : { ...batch, holdings: this.#since(batch.holdings, before, assets) };
    }
  }

  #since(
    holdings: readonly Holding[],
    before: AsOf,
    assets: readonly number[] | undefined,
  ): Holding[] {
    const accounts = [...new Set(holdings.map(({ account }) => account))];
    const earlier = new Map<string, Holding>();
    for (const batch of this.#volumes.batches(accounts, before, { assets })) {
      for (const holding of batch.holdings) earlier.set(keyOf(holding), holding);
    }
    return holdings.flatMap((holding) => {
      const known = earlier.get(keyOf(holding));
      if (known === undefined) return holding;
      if (known.tx === holding.tx) return [];
      const { input, output } = holding;
      return { ...holding, input: input - known.input, output: output - known.output };
    });
  }
}

const keyOf = ({ account, asset }: Holding): string => `${account},${asset}`;
