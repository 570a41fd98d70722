import { type Quota, RATE_KINDS, type RateKind } from "#modules/auth/core/quota.ts";

/** What is left of a rate, and in how many seconds all of it will be there again. */
export interface RateLeft {
  readonly left: number;
  readonly seconds: number;
}

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-10, structured fields of RFC 9651. A token bucket gives `q` at once, and the same again in
 * `w` seconds:
 *
 *     RateLimit-Policy: "requests";q=100;w=2, "elements";q=2000;qu="elements";w=2, "streams";q=5;qu="concurrent-requests"
 *     RateLimit: "requests";r=97;t=1
 */
export function rateLimitFields(
  quota: Quota,
  lefts: ReadonlyMap<RateKind, RateLeft>,
): Readonly<Record<string, string>> {
  const policies = RATE_KINDS.flatMap((kind) => {
    const rate = quota[kind];
    if (rate === undefined) return [];
    const unit = kind === "elements" ? ';qu="elements"' : "";
    return [`"${kind}";q=${rate.burst}${unit};w=${Math.ceil(rate.burst / rate.perSecond)}`];
  });
  if (quota.streams !== undefined) {
    policies.push(`"streams";q=${quota.streams};qu="concurrent-requests"`);
  }
  const limits = [...lefts].map(([kind, { left, seconds }]) => `"${kind}";r=${left};t=${seconds}`);
  return {
    "ratelimit-policy": policies.join(", "),
    ...(limits.length === 0 ? {} : { ratelimit: limits.join(", ") }),
  };
}
