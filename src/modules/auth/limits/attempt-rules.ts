/** How many attempts may fail within a time. */
export interface AttemptRule {
  readonly failuresMax: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

/**
 * What is limited. The strictest limits are for one client or account from one address, so that somebody who fails on
 * purpose does not lock out the owner, who comes from elsewhere. The others bound who fails with many of them, or from many
 * addresses.
 */
export const ATTEMPT_RULES = {
  /** Secrets of one client, from one address. */
  clientAtAddress: { failuresMax: 10, windowMs: MINUTE_MS },
  /** Secrets of one client, from anywhere. */
  client: { failuresMax: 300, windowMs: MINUTE_MS },
  /** Secrets, codes and assertions of whatever clients, from one address. */
  tokenAddress: { failuresMax: 100, windowMs: MINUTE_MS },
  /** Passwords of one account, from anywhere. */
  account: { failuresMax: 10, windowMs: MINUTE_MS },
  /** Passwords of whatever accounts, from one address. */
  loginAddress: { failuresMax: 50, windowMs: MINUTE_MS },
} as const satisfies Readonly<Record<string, AttemptRule>>;

export type AttemptRuleName = keyof typeof ATTEMPT_RULES;
