import { AppError } from "#platform/errors.ts";
import { isLoopbackHost } from "#platform/http/loopback.ts";

/** Where this module's routes are, below the public URL: the path of its issuer. */
export const ISSUER_PATH = "/api/auth";

/**
 * The issuer of the tokens that a request to `url` may get. On loopback it is the origin of the request; elsewhere the
 * `Host` header decides nothing, because who sends it is not known.
 */
export function issuerOf(publicUrl: string | undefined, url: string): string {
  if (publicUrl !== undefined) return publicUrl + ISSUER_PATH;
  const { hostname, origin } = new URL(url);
  if (isLoopbackHost(hostname)) return origin + ISSUER_PATH;
  throw new AppError(
    "INTERNAL",
    "FLORIN_PUBLIC_URL is not set. Outside a loopback host it takes the URL under which clients reach this server, as tokens are issued in its name.",
  );
}

/** Whether two texts name one issuer. They are compared exactly, except that the names of the loopback host are equal. */
export const isSameIssuer = (one: string, other: string): boolean =>
  one === other || withoutAlias(one) === withoutAlias(other);

const LOOPBACK_ALIAS = /^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/])/;

const withoutAlias = (issuer: string): string => issuer.replace(LOOPBACK_ALIAS, "$1localhost");
