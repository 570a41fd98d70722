/** What browsers may do with a page: the directives of `Content-Security-Policy` and their sources. */
export type ContentPolicy = Readonly<Record<string, readonly string[]>>;

/**
 * The headers of a page, which may use nothing of other origins and stands in no frame. `policy` allows what the page needs beyond
 * nothing.
 */
export const pageHeaders = (policy: ContentPolicy): Record<string, string> => ({
  "content-security-policy": Object.entries({
    "default-src": ["'none'"],
    ...policy,
    "base-uri": ["'none'"],
    "frame-ancestors": ["'none'"],
  })
    .map(([directive, sources]) => [directive, ...sources].join(" "))
    .join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  // With `no-referrer`, browsers would send forms without their origin, which is checked.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
});
