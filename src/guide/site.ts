import type { Site } from "#platform/modules/site.ts";

/** The documentation. VitePress builds its pages from `docs` (`scripts/lib/build/guide/build.ts`). */
export const GUIDE_SITE = {
  path: "/guide",
  // The build moves inline scripts into files, and pages have no inline style.
  policy: {
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
  },
  pages: "pages",
} as const satisfies Site;
