import { scrypt } from "node:crypto";

/** What scrypt (RFC 7914) makes a key of. Salts and keys are base64url texts, so that they cross a wire as JSON. */
export interface PasswordWork {
  readonly password: string;
  readonly salt: string;
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** Makes the key of a password, as a base64url text. */
export type DeriveKey = (work: PasswordWork) => Promise<string>;

/** The binding by which `npm start` gives the threads of Node to the Worker. */
export const PASSWORD_THREADS_BINDING = "FLORIN_PASSWORD_THREADS";

/** Length of the key, in bytes. */
export const PASSWORD_KEY_BYTES = 32;

/** N = 2^15 and r = 8 need exactly as much memory as Node allows by itself, which is not enough. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The key of a password, as a base64url text. In Node, a thread of its pool does the work; in workerd, the work holds the
 * thread that serves every other request (`docs/auth.md` has the figures). Rejects where the parameters need more memory than is allowed.
 */
export const derivePasswordKey: DeriveKey = ({ password, salt, N, r, p }) => {
  const options = { N, r, p, maxmem: MEMORY_BYTES_MAX };
  return new Promise((resolve, reject) => {
    scrypt(password, Buffer.from(salt, "base64url"), PASSWORD_KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key.toString("base64url"));
      else reject(error);
    });
  });
};
