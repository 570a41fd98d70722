/** The least work with a password, for tests that log in and do not ask how long that takes. */
export const PASSWORD_COST = { N: 2, r: 8, p: 3 } as const;
