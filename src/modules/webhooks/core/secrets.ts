import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** How long a replaced secret still signs, in milliseconds. */
export const OVERLAP_MS = 24 * 3_600_000;
/** Most replaced secrets that sign at once. Each makes the headers of every request longer. */
export const PREVIOUS_SECRETS_MAX = 4;

/** The secrets that sign the requests of one config. */
export interface Secrets {
  readonly current: string;
  /** The secrets that were replaced, newest first; some may have expired. */
  readonly previous: readonly PreviousSecret[];
}

export interface PreviousSecret {
  readonly secret: string;
  readonly validUntil: Timestamp;
}

/** A secret that replaces the one of a config. */
export interface NewSecret {
  readonly secret: string;
  /** Whether all earlier secrets end at once. */
  readonly immediate: boolean;
}

/** The secrets that sign at a time, newest first. */
export const validSecrets = (secrets: Secrets, now: Timestamp): string[] => [
  secrets.current,
  ...stillValid(secrets, now).map(({ secret }) => secret),
];

/**
 * Replaces the current secret. The old secret stays valid for `OVERLAP_MS`, beside those that were replaced shortly before it;
 * the oldest of more than `PREVIOUS_SECRETS_MAX` end early. Returns `secrets` itself if nothing changes: the secret is the
 * current one, and no earlier secret has to end.
 */
export function rotate(secrets: Secrets, wanted: NewSecret, now: Timestamp): Secrets {
  const { current } = secrets;
  const valid = stillValid(secrets, now);
  if (wanted.secret === current && (!wanted.immediate || valid.length === 0)) return secrets;
  if (wanted.immediate) return { current: wanted.secret, previous: [] };
  const replaced = { secret: current, validUntil: fromMillis(toMillis(now) + OVERLAP_MS) };
  const previous = [replaced, ...valid]
    // A secret that becomes current again is no longer a previous one.
    .filter(({ secret }) => secret !== wanted.secret)
    .slice(0, PREVIOUS_SECRETS_MAX);
  return { current: wanted.secret, previous };
}

const stillValid = ({ previous }: Secrets, now: Timestamp): readonly PreviousSecret[] =>
  previous.filter(({ validUntil }) => validUntil > now);
