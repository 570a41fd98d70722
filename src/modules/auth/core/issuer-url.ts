/** The path of this module's routes and of its issuer, below the public URL. */
export const ISSUER_PATH = "/api/auth";

/** The public URL of a server whose tokens have an issuer. */
export const baseOfIssuer = (issuer: string): string =>
  issuer.endsWith(ISSUER_PATH) ? issuer.slice(0, -ISSUER_PATH.length) : issuer;

/** Whether two texts name one issuer or server. They are compared exactly, except that all names of the loopback host are equal. */
export const isSameIssuer = (one: string, other: string): boolean =>
  one === other || withoutAlias(one) === withoutAlias(other);

const LOOPBACK_ALIAS = /^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/;

const withoutAlias = (issuer: string): string => issuer.replace(LOOPBACK_ALIAS, "$1localhost");
