/**
 * What a guess of a password costs: 32 MiB of memory, three times in a row. Contract tests, which log in hundreds of
 * times, take `test/support/auth/password-cost.ts` in place of this file.
 */
export const PASSWORD_COST = { N: 2 ** 15, r: 8, p: 3 } as const;
