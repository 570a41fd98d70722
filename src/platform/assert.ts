/** States an invariant; a failure is a bug and answers 500. */
export function assert(condition: boolean, why: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${why}`);
}

/** A value that is present by an invariant, which `why` states; its absence is a bug and answers 500. */
export function present<T>(value: T | undefined | null, why: string): T {
  if (value === undefined || value === null) throw new Error(`invariant broken: ${why}`);
  return value;
}
