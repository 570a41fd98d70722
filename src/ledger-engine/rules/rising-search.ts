/** A row of a table whose keys and values increase together, both with gaps. */
export interface RisingRow {
  readonly key: number;
  readonly value: number;
}

/** A bracket of a limit: the value of `low` is not above the limit, and the value of `high` is. */
export interface Bracket {
  readonly low: RisingRow;
  readonly high: RisingRow;
}

/**
 * The last row whose value is not above a limit. `rowAt` gives the last row whose key is not above a number.
 *
 * Four guesses take turns. The first is exact if no value is left out between the row and the upper end, the second if no
 * value is left out between the lower end and the row, the third, an interpolation search (Perl, Itai and Avni, 1978), if
 * gaps are spread evenly. The fourth is the middle, so that no distribution of gaps takes more than four times the steps of
 * a binary search.
 */
export function lastNotAbove(
  limit: number,
  { low, high }: Bracket,
  rowAt: (key: number) => RisingRow,
): RisingRow {
  let [lower, upper] = [low, high];
  // No row has a key above that of the lower row and up to `passed`.
  let passed = lower.key;
  for (let round = 0; upper.key - passed > 1 && lower.value !== limit; round++) {
    const guesses = [
      () => upper.key - (upper.value - limit),
      () => lower.key + (limit - lower.value),
      () =>
        lower.key + ((limit - lower.value) / (upper.value - lower.value)) * (upper.key - lower.key),
      () => (passed + upper.key) / 2,
    ];
    const guess = guesses[round % guesses.length]?.() ?? passed;
    const key = Math.min(Math.max(Math.floor(guess), passed + 1), upper.key - 1);
    const row = rowAt(key);
    if (row.value > limit) upper = row;
    else [lower, passed] = [row, key];
  }
  return lower;
}
