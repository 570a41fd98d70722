export const ACCOUNTS = 10_000;
/** Transactions of which one has metadata. */
const METADATA_EVERY = 10;
const AMOUNT_MAX = 1_000_000;
export const WORLD = 1;
/** The date of the first transaction: 2026-01-01, in microseconds since the epoch. */
export const START = 1_767_225_600_000_000;

interface Move {
  readonly account: number;
  readonly role: 0 | 1;
  /** The volumes of the account after the move. */
  readonly input: number;
  readonly output: number;
}

export interface GeneratedTransaction {
  readonly id: number;
  readonly date: number;
  readonly source: number;
  readonly destination: number;
  readonly amount: number;
  readonly metadata: string | undefined;
  readonly moves: readonly [Move, Move];
}

/**
 * Pseudo-random numbers below `max`, equal in every run: the linear congruential generator of "Numerical Recipes" (W. Press et al., 1992).
 */
export function numbers(): (max: number) => number {
  let state = 42;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

/** Transactions in the order of their dates: an account gets money from `world`, or sends some of its balance back. */
export function* generate(size: number): Generator<GeneratedTransaction> {
  const next = numbers();
  const inputs = new Float64Array(ACCOUNTS + 2);
  const outputs = new Float64Array(ACCOUNTS + 2);
  const moveOf = (account: number, role: 0 | 1, amount: number): Move => {
    const volumes = role === 0 ? inputs : outputs;
    volumes[account] = (volumes[account] ?? 0) + amount;
    return { account, role, input: inputs[account] ?? 0, output: outputs[account] ?? 0 };
  };
  for (let id = 1; id <= size; id++) {
    const account = WORLD + 1 + next(ACCOUNTS);
    const balance = (inputs[account] ?? 0) - (outputs[account] ?? 0);
    const amount = 1 + next(AMOUNT_MAX);
    const isReturn = amount <= balance && next(2) === 0;
    const [source, destination] = isReturn ? [account, WORLD] : [WORLD, account];
    const hasMetadata = next(METADATA_EVERY) === 0;
    yield {
      id,
      date: START + id * 1000,
      source,
      destination,
      amount,
      metadata: hasMetadata ? `{"order":"order-${id}"}` : undefined,
      moves: [moveOf(source, 1, amount), moveOf(destination, 0, amount)],
    };
  }
}
