import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "#src/app.ts";
import { BASE_URL } from "#test/support/platform/api.ts";

export type Send = (path: string, init?: RequestInit) => Promise<Response>;

const app = createApp();

/**
 * The app as in another isolate, with the same storage and with empty caches. A test may give other settings, another database
 * or another rate limit. A path may be a whole URL with another host.
 */
export function isolate(
  settings: Readonly<Record<string, string | D1Database | RateLimit>> = {},
): Send {
  const bindings = { ...env, ...settings };
  return async (path, init) =>
    app.fetch(new Request(new URL(path, BASE_URL), init), bindings, createExecutionContext());
}
