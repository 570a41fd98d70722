/** The time within which failures count together, in milliseconds. */
export const ATTEMPT_WINDOW_MS = 60_000;

/** How many attempts may fail within `ATTEMPT_WINDOW_MS`. */
export interface AttemptRule {
  readonly failuresMax: number;
}

/**
 * The limits. The strictest ones are for one client or person from one address, so that somebody who fails on purpose does not
 * lock out the owner, who comes from elsewhere. The others limit somebody who fails in many names, or from many addresses.
 */
export const ATTEMPT_RULES = {
  /** Secrets of one client, from one address. */
  clientAtAddress: { failuresMax: 10 },
  /** Secrets of one client, from anywhere. */
  client: { failuresMax: 300 },
  /** Secrets of any clients, from one address. */
  tokenAddress: { failuresMax: 100 },
  /** Codes, refresh tokens and assertions that come without a secret, in the name of one client from one address. */
  publicClientAtAddress: { failuresMax: 100 },
  /** Passwords of one person, from one address. */
  personAtAddress: { failuresMax: 10 },
  /** Passwords of any people, from one address. */
  loginAddress: { failuresMax: 50 },
  /** Passwords of one person, from all browsers together in which the person has not logged in before. */
  person: { failuresMax: 20 },
  /** User codes of devices that one person has typed. */
  userCodePerson: { failuresMax: 10 },
  /** User codes of devices, from one address. */
  userCodeAddress: { failuresMax: 50 },
  /** Passwords of one person, from one browser in which the person has logged in before. */
  device: { failuresMax: 10 },
} as const satisfies Readonly<Record<string, AttemptRule>>;

export type AttemptRuleName = keyof typeof ATTEMPT_RULES;
