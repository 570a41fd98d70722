import {
  calculateJwkThumbprint,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importJWK,
  importPKCS8,
} from "jose";
import type { VerificationKey } from "./key-cache.ts";
import { AuthStore, type SigningKeyRow } from "#modules/auth/registry/store.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { armSweep, KEYS_SWEEP } from "#modules/auth/sweeps.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
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

/** A key as operators see it. */
export interface KeyState {
  readonly kid: string;
  readonly createdMs: number;
  /** Until when it verifies, where another key signs now; in milliseconds since the epoch. */
  readonly endsMs: number | undefined;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

/** How long an isolate signs with a key without looking whether there is a newer one, in milliseconds. */
const CURRENT_MS_MAX = 30_000;
/** How long a key verifies after another one has replaced it: what it has signed has expired then, wherever clocks are. */
export const KEY_OVERLAP_MS = 2 * 3_600_000;

/**
 * The keys that sign our tokens. The first is made when one is needed for the first time. A new one signs at once; verifiers that
 * do not know it yet look for it when they see its id.
 */
export class SigningKeys {
  static readonly from = memoByEnv(
    (env: Env) => new SigningKeys(env, { store: new AuthStore(env), box: SecretBox.from(env) }),
  );

  readonly #env: Env;
  readonly #store: AuthStore;
  readonly #box: SecretBox;
  /** The private key, decrypted once in the life of an isolate. */
  #current: SigningKey | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(env: Env, { store, box }: { readonly store: AuthStore; readonly box: SecretBox }) {
    this.#env = env;
    this.#store = store;
    this.#box = box;
  }

  /** The key that signs. */
  async current(): Promise<SigningKey> {
    const nowMs = Date.now();
    if (this.#current !== undefined && Math.abs(nowMs - this.#lookedMs) < CURRENT_MS_MAX) {
      return this.#current;
    }
    const newest = await this.#newest();
    if (newest.kid !== this.#current?.kid) this.#current = await this.#open(newest);
    this.#lookedMs = nowMs;
    return this.#current;
  }

  /** All keys that verify, the newest first. */
  async list(): Promise<PublicKey[]> {
    return (await this.#rows()).map(({ kid, publicKey }) => toPublicKey(kid, publicKey));
  }

  /** The same keys as operators see them. Makes none. */
  async states(): Promise<KeyState[]> {
    const rows = await this.#store.listSigningKeys();
    return rows.map(({ kid, createdMs }, index) => {
      const successor = rows[index - 1];
      const endsMs = successor === undefined ? undefined : successor.createdMs + KEY_OVERLAP_MS;
      return { kid, createdMs, endsMs };
    });
  }

  /** Lets a new key sign. Of two that are made at the same time, one is stored. */
  async rotate(context: ServiceContext): Promise<void> {
    const [newest] = await this.#rows();
    const key = await this.#generate((newest?.sequence ?? 0) + 1);
    const action = { action: "auth.key.rotate", object: `keys/${key.kid}` };
    await this.#store.replaceSigningKey(key, new AuditedChange(context, action));
    this.#lookedMs = Number.NEGATIVE_INFINITY;
    await armSweep(this.#env, KEYS_SWEEP, key.createdMs + KEY_OVERLAP_MS);
  }

  /** Deletes a key that verifies nothing any more. */
  async delete(kid: string): Promise<void> {
    await this.#store.deleteSigningKey(kid);
  }

  /** The same keys, ready to verify with. */
  async verifiers(): Promise<readonly VerificationKey[]> {
    const keys = await this.list();
    return Promise.all(
      keys.map(async (key) => ({ kid: key.kid, key: await importPublicKey(key) })),
    );
  }

  /** The newest key. One that is too old is replaced before it signs again. */
  async #newest(): Promise<SigningKeyRow> {
    const newest = present((await this.#rows())[0], "a key was made");
    const ageMs = Date.now() - newest.createdMs;
    if (ageMs < authSettings.of(this.#env).FLORIN_SIGNING_KEY_AGE) return newest;
    await this.rotate(systemContext(this.#env, "signing-keys"));
    return present((await this.#rows())[0], "a key was made");
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
    return {
      sequence,
      kid,
      publicKey: stringifyJson(publicKey),
      privateKey,
      createdMs: Date.now(),
    };
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
