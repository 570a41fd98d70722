import { log } from "#platform/log.ts";

/** Most lines that the writes of one group leave in the log of the deployment. */
const LINES_MAX = 10;

/** What writes did against their schemas and was accepted, on its way to the log of the deployment. */
export class ViolationLog {
  readonly #counts = new Map<string, number>();
  /** Of those that have no line of their own. */
  #others = 0;

  /** Forgets those of writes that were not kept. */
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

  /** Writes a line for each, and one for all that are too many. */
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

/** So many digits, also with signs between them, may be the number of a card or of an account at a bank. */
const LONG_NUMBER = /\d(?:[-_]?\d){9,}/g;
const DIGITS_SHOWN = 4;

/** Addresses of accounts are made of what clients choose: of a long number, its end is shown. */
const masked = (text: string): string =>
  text.replaceAll(LONG_NUMBER, (number) => `…${number.slice(-DIGITS_SHOWN)}`);
