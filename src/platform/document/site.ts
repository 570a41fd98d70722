import { assetsOf, type Site } from "#platform/modules/site.ts";

/** The page that shows the API document. */
export const DOCUMENT_SITE = {
  path: "/docs",
  // Styles are written while the page runs, so that they cannot be named one by one.
  policy: {
    "style-src": ["'self'", "'unsafe-inline'"],
    "img-src": ["'self'", "data:", "blob:"],
    "font-src": ["'self'", "data:"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
  },
  isFront: true,
} as const satisfies Site;

/** Scalar, the script that draws the page. */
export const SCRIPT_PATH = `${assetsOf(DOCUMENT_SITE)}/scalar.js`;
