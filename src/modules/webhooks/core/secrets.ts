import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** How long a secret still signs after it was replaced, in milliseconds. */
export const OVERLAP_MS = 24 * 3_600_000;
/** Most replaced secrets that sign at once, because each makes the headers of every request longer. */
export const PREVIOUS_SECRETS_MAX = 4;

/** What signs the requests of one config. */
export interface Secrets {
  readonly current: string;
  /** The secrets that were replaced, newest first; some may have expired. */
  readonly previous: readonly PreviousSecret[];
}

export interface PreviousSecret {
  readonly secret: string;
  readonly validUntil: Timestamp;
}

/** The secret that a config gets. */
export interface NewSecret {
  readonly secret: string;
  /** Ends the secrets before it at once. */
  readonly immediate: boolean;
}

/** The secrets that sign at a time, newest first. */
export const validSecrets = (secrets: Secrets, now: Timestamp): string[] => [
  secrets.current,
  ...stillValid(secrets, now).map(({ secret }) => secret),
];

/**
 * Replaces the secret. The old one stays valid for a while, next to those that were replaced shortly before it; beyond
 * `PREVIOUS_SECRETS_MAX` the oldest one ends early. Returns `secrets` itself if nothing changes, which is so where the
 * secret is the same and no other one has to end.
 */
export function rotate(secrets: Secrets, wanted: NewSecret, now: Timestamp): Secrets {
  const { current } = secrets;
  const valid = stillValid(secrets, now);
  if (wanted.secret === current && (!wanted.immediate || valid.length === 0)) return secrets;
  if (wanted.immediate) return { current: wanted.secret, previous: [] };
  const replaced = { secret: current, validUntil: fromMillis(toMillis(now) + OVERLAP_MS) };
  const previous = [replaced, ...valid]
    // A secret that is current again is not a previous one.
    .filter(({ secret }) => secret !== wanted.secret)
    .slice(0, PREVIOUS_SECRETS_MAX);
  return { current: wanted.secret, previous };
}

const stillValid = ({ previous }: Secrets, now: Timestamp): readonly PreviousSecret[] =>
  previous.filter(({ validUntil }) => validUntil > now);
