/** The smallest cost of a password's hash, for tests in which the duration of a login does not matter. */
export const PASSWORD_COST = { N: 2, r: 8, p: 3 } as const;
