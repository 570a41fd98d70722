import * as fc from "fast-check";

/** The rules of wallets in their plainest form: one wallet, its balances by name, its holds, and a clock in seconds. */

export interface ModelBalance {
  readonly name: string;
  readonly expiresAt?: number;
  readonly priority: number;
}

export interface ModelHold {
  readonly amount: number;
  remaining: number;
  readonly given: Map<string, number>;
  readonly expiresAt: number | undefined;
}

/** The balances in the order in which they are spent. */
export const BALANCES: readonly ModelBalance[] = [
  { name: "soon", expiresAt: 100, priority: 9 },
  { name: "later", expiresAt: 1000, priority: 0 },
  { name: "first", priority: -1 },
  { name: "second", priority: 7 },
  { name: "main", priority: 0 },
];
const NAMES = BALANCES.map(({ name }) => name);

export type Step =
  | { readonly kind: "credit"; readonly balance: string; readonly amount: number }
  | {
      readonly kind: "debit";
      readonly balances: readonly string[];
      readonly amount: number;
      /** Seconds after which the hold expires; 0 for never. */
      readonly hold?: number;
    }
  | {
      readonly kind: "confirm";
      readonly hold: number;
      /** The amount of the confirmation; 0 for all that is left of the hold. */
      readonly amount: number;
      readonly isFinal: boolean;
    }
  | { readonly kind: "void"; readonly hold: number }
  | { readonly kind: "pass"; readonly seconds: number }
  | { readonly kind: "sweep" };

const amount = fc.integer({ min: 0, max: 30 });
const balances = fc.oneof(
  fc.constant([]),
  fc.constant(["*"]),
  fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
);
const hold = fc.nat({ max: 5 });
const debit = { kind: fc.constant("debit" as const), balances, amount };

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("credit" as const),
        balance: fc.constantFrom(...NAMES),
        amount,
      }),
    },
    { weight: 2, arbitrary: fc.record(debit) },
    { weight: 4, arbitrary: fc.record({ ...debit, hold: fc.constantFrom(0, 0, 50, 500) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("confirm" as const),
        hold,
        amount,
        isFinal: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("void" as const), hold }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("pass" as const),
        seconds: fc.constantFrom(20, 60, 600),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep" as const) }) },
  ),
  { minLength: 4, maxLength: 24 },
);

export class WalletModel {
  readonly held = new Map(NAMES.map((name) => [name, 0]));
  readonly holds: ModelHold[] = [];
  now = 0;
  /** The sum of all credits, less the sum that has left for good. */
  total = 0;

  /** Takes a step; returns its failure. */
  do(step: Step): string | undefined {
    switch (step.kind) {
      case "credit":
        this.#give(step.balance, step.amount);
        this.total += step.amount;
        return undefined;
      case "debit":
        return this.#debit(step);
      case "confirm":
        return this.#confirm(step);
      case "void":
        return this.#void(step.hold);
      case "pass":
        this.now += step.seconds;
        return undefined;
      case "sweep":
        for (const each of this.holds) if (this.#isOverdue(each)) this.#refund(each);
        return undefined;
    }
  }

  #debit({ balances: wanted, amount: sum, hold: expiresIn }: Step & { kind: "debit" }) {
    const named = wanted.length === 0 ? ["main"] : wanted;
    const names = named[0] === "*" ? NAMES : named;
    const live = names.filter((name) => !this.#hasExpired(name));
    if (live.length === 0) return "INSUFFICIENT_FUND";
    const given = new Map<string, number>();
    let left = sum;
    for (const name of live) {
      const part = Math.min(left, (this.held.get(name) ?? 0) - (given.get(name) ?? 0));
      given.set(name, (given.get(name) ?? 0) + part);
      left -= part;
    }
    if (left > 0) return "INSUFFICIENT_FUND";
    for (const [name, part] of given) this.#give(name, -part);
    if (expiresIn === undefined) this.total -= sum;
    else {
      const expiresAt = expiresIn === 0 ? undefined : this.now + expiresIn;
      this.holds.push({ amount: sum, remaining: sum, given, expiresAt });
    }
    return undefined;
  }

  #confirm({ hold: place, amount: sum, isFinal }: Step & { kind: "confirm" }) {
    const found = this.holds[place];
    if (found === undefined) return "NOT_FOUND";
    if (this.#isOverdue(found)) this.#refund(found);
    if (found.remaining === 0) return "HOLD_CLOSED";
    const wanted = sum === 0 ? found.remaining : sum;
    if (wanted > found.remaining) return "INSUFFICIENT_FUND";
    found.remaining -= wanted;
    this.total -= wanted;
    if (!isFinal) return undefined;
    this.#give("main", found.remaining);
    found.remaining = 0;
    return undefined;
  }

  #void(place: number) {
    const found = this.holds[place];
    if (found === undefined) return "NOT_FOUND";
    if (found.remaining === 0) return "HOLD_CLOSED";
    this.#refund(found);
    return undefined;
  }

  #refund(found: ModelHold): void {
    for (const [name, part] of found.given) {
      const back = Math.min(part, found.remaining);
      this.#give(name, back);
      found.remaining -= back;
    }
  }

  #give(name: string, sum: number): void {
    this.held.set(name, (this.held.get(name) ?? 0) + sum);
  }

  #isOverdue({ expiresAt, remaining }: ModelHold): boolean {
    return expiresAt !== undefined && expiresAt <= this.now && remaining > 0;
  }

  #hasExpired(name: string): boolean {
    const expiresAt = BALANCES.find((balance) => balance.name === name)?.expiresAt;
    return expiresAt !== undefined && expiresAt < this.now;
  }
}
