import { ISSUER_PATH } from "#modules/auth/core/issuer-url.ts";
import { AppError } from "#platform/errors.ts";
import { isLoopbackHost } from "#platform/http/loopback.ts";

/**
 * The issuer of this server's tokens for a request to `url`. Without a public URL, it is the origin of the request on loopback
 * hosts, and nothing elsewhere: the `Host` header decides nothing, because its sender is not known. Throws `VALIDATION`.
 */
export function issuerOf(publicUrl: string | undefined, url: string): string {
  if (publicUrl !== undefined) return publicUrl + ISSUER_PATH;
  const { hostname, origin } = new URL(url);
  if (isLoopbackHost(hostname)) return origin + ISSUER_PATH;
  throw new AppError(
    "VALIDATION",
    "this host is not the server's: FLORIN_PUBLIC_URL is not set. Outside a loopback host it takes the URL under which clients reach this server, as tokens are issued in its name.",
  );
}
