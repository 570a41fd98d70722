/** What a quota counts per second. A stream is not among them: it is counted while it is open. */
export const RATE_KINDS = ["requests", "writes", "elements"] as const;
export type RateKind = (typeof RATE_KINDS)[number];

/** A rate: `perSecond` on average, and up to `burst` at once. */
export interface QuotaRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The quota of a client. What is absent is not limited. */
export interface Quota {
  /** Requests with a token. */
  readonly requests?: QuotaRate | undefined;
  /** Those requests that need a scope other than `:read`; they count as requests, too. */
  readonly writes?: QuotaRate | undefined;
  /** Elements of bulks and batches, and entries of imported logs. */
  readonly elements?: QuotaRate | undefined;
  /** Event streams and streams of ledgers that are open at once. */
  readonly streams?: number | undefined;
}

/** Largest numbers of a quota. */
export const PER_SECOND_MAX = 1_000_000;
export const BURST_MAX = 10_000_000;
export const STREAMS_MAX = 10_000;

/** The burst of a rate that names none: what two seconds give. */
export const standardBurst = (perSecond: number): number => 2 * perSecond;

/** Whether a quota limits nothing. */
export const isUnlimited = ({ streams, ...rates }: Quota): boolean =>
  streams === undefined && RATE_KINDS.every((kind) => rates[kind] === undefined);

const RATE = /^(\d{1,8})(?:\/(\d{1,8}))?$/;

/** Parses a rate as settings and the command line have it, `50` or `50/200` with the burst; undefined for any other text. */
export function parseRate(text: string): QuotaRate | undefined {
  const [, each, burst] = RATE.exec(text) ?? [];
  if (each === undefined) return undefined;
  const perSecond = Number(each);
  const rate = { perSecond, burst: burst === undefined ? standardBurst(perSecond) : Number(burst) };
  return isRate(rate) ? rate : undefined;
}

/** Whether the numbers of a rate are allowed. A burst below the rate would make the rate unreachable for who sends once in a second. */
export const isRate = ({ perSecond, burst }: QuotaRate): boolean =>
  perSecond >= 1 && perSecond <= PER_SECOND_MAX && burst >= perSecond && burst <= BURST_MAX;
