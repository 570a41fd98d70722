import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from "node:crypto";
import { PASSWORD_COST } from "#modules/auth/people/password-cost.ts";

/** Shortest and longest password, in UTF-16 units. */
export const PASSWORD_LENGTH_MIN = 12;
export const PASSWORD_LENGTH_MAX = 256;

/** The memory of `PASSWORD_COST` is exactly at Node's own limit, which is not enough. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORMAT = "scrypt";

/** The stored form of a password: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, PASSWORD_COST);
  const { N, r, p } = PASSWORD_COST;
  return [FORMAT, N, r, p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** Whether a password is the stored one. Without a stored one it takes just as long, so that nobody learns who is known. */
export async function matchesPassword(
  password: string,
  stored: string | undefined,
): Promise<boolean> {
  const [, N, r, p, salt = "", hash = ""] = (stored ?? NOBODY).split("$");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, "base64url"), cost);
  const isEqual = timingSafeEqual(derived, Buffer.from(hash, "base64url"));
  return isEqual && stored !== undefined;
}

/** The form of a stored password that nobody has. */
const NOBODY = [
  FORMAT,
  PASSWORD_COST.N,
  PASSWORD_COST.r,
  PASSWORD_COST.p,
  Buffer.alloc(SALT_BYTES).toString("base64url"),
  Buffer.alloc(HASH_BYTES).toString("base64url"),
].join("$");

/** Keyboards write the same letter in several ways, which become one. */
function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  const options = { ...cost, maxmem: MEMORY_BYTES_MAX };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, HASH_BYTES, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}
