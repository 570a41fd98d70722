import { LINES_MAX, STATEMENTS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type {
  StatementEvent,
  StatementHead,
  StatementLine,
} from "#modules/reconciliation/core/statements/model/statement.ts";
import {
  type StatementAsset,
  showAmount,
} from "#modules/reconciliation/core/statements/values/assets.ts";

/** A balance, and where the file states it. */
export interface StatedBalance {
  readonly amount: bigint;
  readonly position: FilePosition;
}

/** What a statement says of itself, as far as a reader knows it. */
export interface HeadParts {
  readonly id?: string | undefined;
  readonly account?: string | undefined;
  readonly asset?: StatementAsset | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly opening?: StatedBalance | undefined;
  readonly closing?: StatedBalance | undefined;
}

/**
 * Makes the events of a file, counts its lines, and holds opening + lines = closing. Readers call `begin`, then `line` and `pending`,
 * then `finish`, for each statement; `drain` returns the events that are new.
 */
export class StatementBuilder {
  #events: StatementEvent[] = [];
  #index = -1;
  #linesOfFile = 0;
  #lines = 0;
  #pending = 0;
  #totals = new Map<string, bigint>();
  /** The first and the last day of the lines. */
  #days: { readonly first: string; readonly last: string } | undefined;
  #head: HeadParts | undefined;

  /** Whether a statement has begun and not ended. */
  get isOpen(): boolean {
    return this.#head !== undefined;
  }

  /** The number of statements that have begun. */
  get statements(): number {
    return this.#index + 1;
  }

  /** The sum of the lines so far of an asset. */
  total(asset: string): bigint {
    return this.#totals.get(asset) ?? 0n;
  }

  begin(head: HeadParts, position: FilePosition): void {
    this.#index++;
    if (this.#index >= STATEMENTS_MAX) {
      const message = `The file has more than ${STATEMENTS_MAX} statements.`;
      throw new StatementError("LIMIT", message, position);
    }
    this.#head = head;
    this.#lines = 0;
    this.#pending = 0;
    this.#totals = new Map();
    this.#days = undefined;
    this.#events.push({ type: "head", head: this.#headOf(head) });
  }

  line(line: Omit<StatementLine, "status">): void {
    this.#count(line.position);
    this.#lines++;
    this.#totals.set(line.asset, this.total(line.asset) + line.amount);
    this.#days = {
      first:
        this.#days === undefined || line.date < this.#days.first ? line.date : this.#days.first,
      last: this.#days === undefined || line.date > this.#days.last ? line.date : this.#days.last,
    };
    this.#events.push({ type: "line", line: { ...line, status: "booked" } });
  }

  /** Counts an entry that is not booked yet. */
  pending(position: FilePosition): void {
    this.#count(position);
    this.#pending++;
  }

  /** Ends the statement with what was learnt since its head; its period is by default that of its lines. Throws `StatementError` when the balances do not agree with the lines. */
  finish(parts: HeadParts): void {
    const period = { from: this.#days?.first, to: this.#days?.last };
    const head: HeadParts = { ...period, ...definedOf(this.#head), ...definedOf(parts) };
    const { asset, opening, closing } = head;
    const isComplete = asset !== undefined && opening !== undefined && closing !== undefined;
    if (isComplete) this.#assertBalanced(asset, opening, closing);
    this.#events.push({
      type: "end",
      end: {
        ...this.#headOf(head),
        lines: this.#lines,
        pending: this.#pending,
        totals: this.#totals,
        balanced: isComplete,
      },
    });
    this.#head = undefined;
  }

  drain(): readonly StatementEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #assertBalanced(asset: StatementAsset, opening: StatedBalance, closing: StatedBalance): void {
    const sum = this.total(asset.name);
    const expected = opening.amount + sum;
    if (expected === closing.amount) return;
    const [from, lines, makes, states] = [opening.amount, sum, expected, closing.amount].map(
      (amount) => showAmount(amount, asset),
    );
    throw new StatementError(
      "BALANCE",
      `The statement opens with ${from} and its lines add up to ${lines}, which makes ${makes}, but it closes with ${states}.`,
      closing.position,
    );
  }

  #count(position: FilePosition): void {
    this.#linesOfFile++;
    if (this.#linesOfFile <= LINES_MAX) return;
    throw new StatementError("LIMIT", `The file has more than ${LINES_MAX} lines.`, position);
  }

  #headOf({ id, account, asset, from, to, opening, closing }: HeadParts): StatementHead {
    return {
      index: this.#index,
      id,
      account,
      asset: asset?.name,
      from,
      to,
      opening: opening?.amount,
      closing: closing?.amount,
    };
  }
}

const definedOf = (parts: HeadParts | undefined): HeadParts =>
  Object.fromEntries(Object.entries(parts ?? {}).filter(([, value]) => value !== undefined));
