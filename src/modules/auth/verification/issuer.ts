import { ISSUER_PATH } from "#modules/auth/core/issuer-url.ts";
import { AppError } from "#platform/errors.ts";
import { isLoopbackHost } from "#platform/http/loopback.ts";

/**
 * The issuer of the tokens that a request to `url` may get. On loopback it is the origin of the request; elsewhere the
 * `Host` header decides nothing, because who sends it is not known.
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
