import { scrypt } from "node:crypto";

/** The input of scrypt (RFC 7914). Salts and keys are base64url texts, so that they cross a wire as JSON. */
export interface PasswordWork {
  readonly password: string;
  readonly salt: string;
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** Makes the key of a password, as a base64url text. */
export type DeriveKey = (work: PasswordWork) => Promise<string>;

/** The name of the binding to the threads of Node under `npm start`. */
export const PASSWORD_THREADS_BINDING = "FLORIN_PASSWORD_THREADS";

/** Length of the key, in bytes. */
export const PASSWORD_KEY_BYTES = 32;

/** The limit of scrypt's memory. Node's default is exactly the memory of N = 2^15 and r = 8, which Node refuses. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Derives the key of a password, as a base64url text. In Node, a thread of the pool does the work; in workerd, the work blocks the thread
 * that serves all other requests (`docs/auth.md` has the figures). Rejects if the parameters need more memory than `MEMORY_BYTES_MAX`.
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
