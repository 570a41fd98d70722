import { randomBytes, timingSafeEqual } from "node:crypto";
import { PASSWORD_COST } from "#modules/auth/people/password-cost.ts";
import { type DeriveKey, PASSWORD_KEY_BYTES } from "#platform/secrets/password-key.ts";

/** Shortest and longest password, in UTF-16 units. */
export const PASSWORD_LENGTH_MIN = 12;
export const PASSWORD_LENGTH_MAX = 256;

const SALT_BYTES = 16;
const FORMAT = "scrypt";

/** The stored form of a password: `scrypt$N$r$p$salt$key`, salt and key in base64url. */
export async function hashPassword(password: string, derive: DeriveKey): Promise<string> {
  const salt = randomBytes(SALT_BYTES).toString("base64url");
  const key = await derive({ ...PASSWORD_COST, salt, password: normalize(password) });
  const { N, r, p } = PASSWORD_COST;
  return [FORMAT, N, r, p, salt, key].join("$");
}

/** Whether a password is the stored one. Without a stored one the check takes as long, so that nobody learns which people are known. */
export async function matchesPassword(
  password: string,
  stored: string | undefined,
  derive: DeriveKey,
): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = (stored ?? NOBODY).split("$");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive({ ...cost, salt, password: normalize(password) });
  const isEqual = timingSafeEqual(Buffer.from(derived, "base64url"), Buffer.from(key, "base64url"));
  return isEqual && stored !== undefined;
}

/** A stored form that no password has. */
const NOBODY = [
  FORMAT,
  PASSWORD_COST.N,
  PASSWORD_COST.r,
  PASSWORD_COST.p,
  Buffer.alloc(SALT_BYTES).toString("base64url"),
  Buffer.alloc(PASSWORD_KEY_BYTES).toString("base64url"),
].join("$");

/** Unifies the ways in which keyboards write one letter (Unicode NFKC). */
const normalize = (password: string): string => password.normalize("NFKC");
