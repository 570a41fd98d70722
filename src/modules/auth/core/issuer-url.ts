/** Where this module's routes are, below the public URL: the path of its issuer. */
export const ISSUER_PATH = "/api/auth";

/** The public URL of a server, from the issuer of its tokens. */
export const baseOfIssuer = (issuer: string): string =>
  issuer.endsWith(ISSUER_PATH) ? issuer.slice(0, -ISSUER_PATH.length) : issuer;

/** Whether two texts name one issuer or server. They are compared exactly, except that the names of the loopback host are equal. */
export const isSameIssuer = (one: string, other: string): boolean =>
  one === other || withoutAlias(one) === withoutAlias(other);

const LOOPBACK_ALIAS = /^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/;

const withoutAlias = (issuer: string): string => issuer.replace(LOOPBACK_ALIAS, "$1localhost");
