import {
  calculateJwkThumbprint,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importJWK,
  importPKCS8,
} from "jose";
import type { VerificationKey } from "./key-cache.ts";
import { AuthStore, type SigningKeyRow } from "./store.ts";
import { present } from "#platform/assert.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { memoByEnv } from "#platform/memo.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

/** What access tokens are signed with, and the only algorithm that verification knows. */
export const TOKEN_ALGORITHM = "RS256";

/** The public half of a key, as `/keys` shows it. */
export interface PublicKey {
  readonly use: "sig";
  readonly kty: "RSA";
  readonly kid: string;
  readonly alg: typeof TOKEN_ALGORITHM;
  readonly n: string;
  readonly e: string;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

/** The keys that sign our tokens. The first is made when one is needed for the first time. */
export class SigningKeys {
  static readonly from = memoByEnv(
    (env: Env) => new SigningKeys(new AuthStore(env), SecretBox.from(env)),
  );

  readonly #store: AuthStore;
  readonly #box: SecretBox;
  /** The private key, decrypted once in the life of an isolate. */
  #current: SigningKey | undefined;

  constructor(store: AuthStore, box: SecretBox) {
    this.#store = store;
    this.#box = box;
  }

  /** The key that signs. */
  async current(): Promise<SigningKey> {
    this.#current ??= await this.#open(present((await this.#rows())[0], "a key was made"));
    return this.#current;
  }

  /** All keys that verify, the newest first. */
  async list(): Promise<PublicKey[]> {
    return (await this.#rows()).map(({ kid, publicKey }) => toPublicKey(kid, publicKey));
  }

  /** The same keys, ready to verify with. */
  async verifiers(): Promise<readonly VerificationKey[]> {
    const keys = await this.list();
    return Promise.all(
      keys.map(async (key) => ({ kid: key.kid, key: await importPublicKey(key) })),
    );
  }

  /** The stored keys. Of two requests that make the first one at the same time, in whatever isolate, one wins. */
  async #rows(): Promise<readonly SigningKeyRow[]> {
    const rows = await this.#store.listSigningKeys();
    if (rows.length > 0) return rows;
    await this.#store.insertSigningKey(await this.#generate(FIRST_SEQUENCE));
    return this.#store.listSigningKeys();
  }

  async #generate(sequence: number): Promise<SigningKeyRow> {
    const pair = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true });
    const { n = "", e = "" } = await exportJWK(pair.publicKey);
    const publicKey = { n, e };
    const kid = await calculateJwkThumbprint({ kty: "RSA", ...publicKey });
    const privateKey = this.#box.seal(await exportPKCS8(pair.privateKey), purposeOf(kid));
    return { sequence, kid, publicKey: stringifyJson(publicKey), privateKey };
  }

  async #open({ kid, privateKey: sealed }: SigningKeyRow): Promise<SigningKey> {
    const pkcs8 = this.#box.open(sealed, purposeOf(kid));
    if (!this.#box.isCurrent(sealed)) {
      // After this the previous FLORIN_SECRET_KEY is no longer needed for this key.
      await this.#store.updatePrivateKey(kid, this.#box.seal(pkcs8, purposeOf(kid)));
    }
    return { kid, privateKey: await importPKCS8(pkcs8, TOKEN_ALGORITHM) };
  }
}

/** Sequence of the first key: fixed, so that the primary key refuses a second first one. */
const FIRST_SEQUENCE = 1;

const purposeOf = (kid: string): string => `auth signing key ${kid}`;

/** The columns hold what `#generate` has written there. */
function toPublicKey(kid: string, json: string): PublicKey {
  const { n, e } = parseJson(json) as Pick<PublicKey, "n" | "e">;
  return { use: "sig", kty: "RSA", kid, alg: TOKEN_ALGORITHM, n, e };
}

/** Throws if the key is not an RSA key. */
export const importPublicKey = ({ n, e }: Pick<PublicKey, "n" | "e">): Promise<CryptoKey> =>
  importJWK({ kty: "RSA", n, e }, TOKEN_ALGORITHM);
