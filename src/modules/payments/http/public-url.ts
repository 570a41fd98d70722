import type { Context } from "hono";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/index.ts";
import { isLoopbackHost } from "#platform/http/loopback.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** The URL under which browsers and providers reach this server. Throws `INTERNAL` if it is unknown. */
export function publicUrlOf(c: Context<AppEnv>): string {
  const { publicUrl } = findPublicUrl(c);
  if (publicUrl !== undefined) return publicUrl;
  throw new AppError(
    "INTERNAL",
    "FLORIN_PUBLIC_URL is not set. It takes the URL under which providers send browsers back to this server.",
  );
}

/**
 * The URL under which browsers and providers reach this server; absent if it is unknown. The `Host` header counts only for
 * a loopback host.
 */
export function findPublicUrl(c: Context<AppEnv>): { readonly publicUrl?: string } {
  const publicUrl = platformSettings.of(c.env).FLORIN_PUBLIC_URL;
  if (publicUrl !== undefined) return { publicUrl };
  const { hostname, origin } = new URL(c.req.url);
  return isLoopbackHost(hostname) ? { publicUrl: origin } : {};
}
