/**
 * Cost of checking one password (scrypt): 32 MiB of memory, three times in a row. Contract tests, which log in hundreds of times,
 * replace this file by `test/support/auth/password-cost.ts`.
 */
export const PASSWORD_COST = { N: 2 ** 15, r: 8, p: 3 } as const;
