import { AppError } from "#platform/errors.ts";

/** Values of `Sec-Fetch-Site` for a request of a page of the same origin, or of a person who types an address. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** Throws `UNAUTHENTICATED` for a request that a page of another origin has caused, as far as the browser tells. */
export function assertSameOrigin({ url, headers }: Request): void {
  const origin = headers.get("origin");
  const isForeign = origin !== null && origin !== new URL(url).origin;
  if (!isForeign && OWN_SITES.has(headers.get("sec-fetch-site") ?? "none")) return;
  throw new AppError(
    "UNAUTHENTICATED",
    "FLORIN_AUTH=off serves programs and pages of this server only, and no other page in a browser",
  );
}
