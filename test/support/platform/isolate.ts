import { env } from "cloudflare:workers";
import { BASE_URL } from "./api.ts";
import { createApp } from "#src/app.ts";

export type Send = (path: string, init?: RequestInit) => Promise<Response>;

const app = createApp();

/**
 * The app as another isolate has it: the same storage, empty caches and, where they are given, other settings or another
 * database. A path
 * may be a whole URL, for another host.
 */
export function isolate(settings: Readonly<Record<string, string | D1Database>> = {}): Send {
  const bindings = { ...env, ...settings };
  return async (path, init) => app.fetch(new Request(new URL(path, BASE_URL), init), bindings);
}
