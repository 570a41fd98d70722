import type { StatedBalance } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import {
  type StatementAsset,
  showAmount,
} from "#modules/reconciliation/core/statements/values/assets.ts";

/** The balance after a line. */
interface Step {
  readonly amount: bigint;
  readonly balance: bigint;
  readonly position: FilePosition;
}

/** Holds that each balance follows from the one before it, oldest or newest first. */
export class RunningBalance {
  readonly #newestFirst: boolean;
  #asset: StatementAsset | undefined;
  #first: Step | undefined;
  #last: Step | undefined;

  constructor(newestFirst: boolean) {
    this.#newestFirst = newestFirst;
  }

  add(step: Step, asset: StatementAsset): void {
    if (this.#asset !== undefined && this.#asset.name !== asset.name) {
      const message = `A balance is in ${asset.currency}, but the one before it in ${this.#asset.currency}: a file with balances has one currency.`;
      throw new StatementError("CURRENCY", message, step.position);
    }
    this.#asset = asset;
    if (this.#last !== undefined) this.#assertFollows(this.#last, step, asset);
    this.#first ??= step;
    this.#last = step;
  }

  /** The balances before the oldest and after the newest line. */
  ends(): {
    asset: StatementAsset | undefined;
    opening: StatedBalance | undefined;
    closing: StatedBalance | undefined;
  } {
    const [oldest, newest] = this.#newestFirst
      ? [this.#last, this.#first]
      : [this.#first, this.#last];
    if (oldest === undefined || newest === undefined)
      return { asset: undefined, opening: undefined, closing: undefined };
    return {
      asset: this.#asset,
      opening: { amount: oldest.balance - oldest.amount, position: oldest.position },
      closing: { amount: newest.balance, position: newest.position },
    };
  }

  #assertFollows(before: Step, now: Step, asset: StatementAsset): void {
    const [older, newer] = this.#newestFirst ? [now, before] : [before, now];
    const makes = older.balance + newer.amount;
    if (makes === newer.balance) return;
    const [from, amount, to, states] = [older.balance, newer.amount, makes, newer.balance].map(
      (value) => showAmount(value, asset),
    );
    const message = `The balance ${from} and a line of ${amount} make ${to}, but the balance after it is ${states}.`;
    throw new StatementError("BALANCE", message, newer.position);
  }
}
