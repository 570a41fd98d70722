import { randomBytes, timingSafeEqual } from "node:crypto";
import { PASSWORD_COST } from "#modules/auth/people/password-cost.ts";
import { type DeriveKey, PASSWORD_KEY_BYTES } from "#platform/secrets/password-key.ts";

/** Shortest and longest password, in UTF-16 units. */
export const PASSWORD_LENGTH_MIN = 12;
export const PASSWORD_LENGTH_MAX = 256;

const SALT_BYTES = 16;
const FORMAT = "scrypt";

/** The stored form of a password: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string, derive: DeriveKey): Promise<string> {
  const salt = randomBytes(SALT_BYTES).toString("base64url");
  const key = await derive({ ...PASSWORD_COST, salt, password: normalize(password) });
  const { N, r, p } = PASSWORD_COST;
  return [FORMAT, N, r, p, salt, key].join("$");
}

/** Whether a password is the stored one. Without a stored one it takes just as long, so that nobody learns who is known. */
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

/** The form of a stored password that nobody has. */
const NOBODY = [
  FORMAT,
  PASSWORD_COST.N,
  PASSWORD_COST.r,
  PASSWORD_COST.p,
  Buffer.alloc(SALT_BYTES).toString("base64url"),
  Buffer.alloc(PASSWORD_KEY_BYTES).toString("base64url"),
].join("$");

/** Keyboards write the same letter in several ways, which become one. */
const normalize = (password: string): string => password.normalize("NFKC");
