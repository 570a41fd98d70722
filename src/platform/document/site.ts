import { assetsOf, type Site } from "#platform/modules/site.ts";

/** The site of the page that shows the API document. */
export const DOCUMENT_SITE = {
  path: "/docs",
  // Inline styles are allowed, because the page writes styles at run time.
  policy: {
    "style-src": ["'self'", "'unsafe-inline'"],
    "img-src": ["'self'", "data:", "blob:"],
    "font-src": ["'self'", "data:"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
  },
} as const satisfies Site;

/** Scalar, the script that draws the page. */
export const SCRIPT_PATH = `${assetsOf(DOCUMENT_SITE)}/scalar.js`;
