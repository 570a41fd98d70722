/** Whether patterns, each the name of a ledger or the beginning of names before a star, allow a ledger. */
export const allowsLedger = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
