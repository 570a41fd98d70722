import { log } from "#platform/log.ts";

/** Most lines that one call, which may be a bulk, adds to the log of the deployment. */
const LINES_MAX = 10;

/** Violations of schemas by accepted writes, which are collected for the log of the deployment. */
export class ViolationLog {
  readonly #counts = new Map<string, number>();
  /** The number of violations that have no line of their own. */
  #others = 0;

  /** Deletes the violations of writes that were not stored. */
  clear(): void {
    this.#counts.clear();
    this.#others = 0;
  }

  add(text: string): void {
    const violation = masked(text);
    const count = this.#counts.get(violation) ?? 0;
    if (count === 0 && this.#counts.size >= LINES_MAX) this.#others++;
    else this.#counts.set(violation, count + 1);
  }

  /** Writes a line for each violation, and one line for all that are too many. */
  write(ledger: string): void {
    for (const [violation, count] of this.#counts) {
      log("warn", "a write violates the schema", { ledger, violation, count });
    }
    if (this.#others > 0) {
      log("warn", "more writes violate the schema", { ledger, count: this.#others });
    }
    this.clear();
  }
}

/** A number of so many digits, also with signs between them, may be that of a card or of a bank account. */
const LONG_NUMBER = /\d(?:[-_]?\d){9,}/g;
const DIGITS_SHOWN = 4;

/** Shows only the end of long numbers, because clients choose the texts in addresses of accounts. */
const masked = (text: string): string =>
  text.replaceAll(LONG_NUMBER, (number) => `…${number.slice(-DIGITS_SHOWN)}`);
