import { CONSOLE_PATH } from "./base-path.ts";
import type { Site } from "#platform/modules/site.ts";

/** The console. Vite builds its files (`scripts/lib/console/build.ts`). */
export const CONSOLE_SITE = {
  path: CONSOLE_PATH,
  // The page has no inline script or style sheet, and calls only this server.
  policy: {
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
  },
  fallback: "index.html",
  isFront: true,
} as const satisfies Site;
