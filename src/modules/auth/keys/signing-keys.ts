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
import { isTakingBackup } from "#platform/restoration/restore-mode.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

/** The algorithm that signs tokens, and the only one that verification accepts. */
export const TOKEN_ALGORITHM = "RS256";

/** The public key of a pair, as `/keys` shows it. */
export interface PublicKey {
  readonly use: "sig";
  readonly kty: "RSA";
  readonly kid: string;
  readonly alg: typeof TOKEN_ALGORITHM;
  readonly n: string;
  readonly e: string;
}

/** A key as its API shows it. */
export interface KeyState {
  readonly kid: string;
  readonly createdMs: number;
  /** Until when the key verifies, in milliseconds since the epoch; undefined for the key that signs. */
  readonly endsMs: number | undefined;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

/** How long an isolate signs with a key before it looks for a newer one, in milliseconds. */
const CURRENT_MS_MAX = 30_000;
/**
 * How long a key verifies after a newer one has replaced it, in milliseconds. All tokens that it has signed have expired then,
 * whatever machines' clocks say.
 */
export const KEY_OVERLAP_MS = 2 * 3_600_000;

/**
 * The keys that sign this server's tokens. The first is made when it is needed, later ones by `rotate` or when the newest is too
 * old.
 *
 *     key 1  │══ signs ══════════════│── verifies ──│ deleted
 *     key 2                          │══ signs ═══════════════════│── verifies ──│ deleted
 *     key 3                                                       │══ signs ════════
 *            │                       │◄ 2 h overlap►│
 *            └─ FLORIN_SIGNING_KEY_AGE, or `rotate`
 *
 * A new key signs at once. Other isolates go on with the key before it for up to 30 s, which the overlap covers. Verifiers look
 * for a key when a token has an id that they do not know (`KeyCache`).
 */
export class SigningKeys {
  static readonly from = memoByEnv(
    (env: Env) => new SigningKeys(env, { store: new AuthStore(env), box: SecretBox.from(env) }),
  );

  readonly #env: Env;
  readonly #store: AuthStore;
  readonly #box: SecretBox;
  /** The key that signs, with the private key decrypted. An isolate decrypts each key once. */
  #current: SigningKey | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(env: Env, { store, box }: { readonly store: AuthStore; readonly box: SecretBox }) {
    this.#env = env;
    this.#store = store;
    this.#box = box;
  }

  /** The key that signs now. */
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

  /** The public keys of all keys that verify, newest first. Makes the first key if there is none. */
  async list(): Promise<PublicKey[]> {
    return (await this.#rows()).map(({ kid, publicKey }) => toPublicKey(kid, publicKey));
  }

  /** The states of all keys, newest first. Makes no key. */
  async states(): Promise<KeyState[]> {
    const rows = await this.#store.listSigningKeys();
    return rows.map(({ kid, createdMs }, index) => {
      const successor = rows[index - 1];
      const endsMs = successor === undefined ? undefined : successor.createdMs + KEY_OVERLAP_MS;
      return { kid, createdMs, endsMs };
    });
  }

  /** Makes a new key, which signs from now on. If two are made at the same time, one is stored. */
  async rotate(context: ServiceContext): Promise<void> {
    const [newest] = await this.#rows();
    const key = await this.#generate((newest?.sequence ?? 0) + 1);
    const action = { action: "auth.key.rotate", object: `keys/${key.kid}` };
    await this.#store.replaceSigningKey(key, new AuditedChange(context, action));
    this.#lookedMs = Number.NEGATIVE_INFINITY;
    await armSweep(this.#env, KEYS_SWEEP, key.createdMs + KEY_OVERLAP_MS);
  }

  /** Deletes a key whose tokens have all expired. */
  async delete(kid: string): Promise<void> {
    await this.#store.deleteSigningKey(kid);
  }

  /** The keys that verify, imported. */
  async verifiers(): Promise<readonly VerificationKey[]> {
    const keys = await this.list();
    return Promise.all(
      keys.map(async (key) => ({ kid: key.kid, key: await importPublicKey(key) })),
    );
  }

  /** The newest key. A key that is too old is replaced before it signs again. */
  async #newest(): Promise<SigningKeyRow> {
    const newest = present((await this.#rows())[0], "a key was made");
    if (isTakingBackup(this.#env)) return this.#replacedKey(newest);
    const ageMs = Date.now() - newest.createdMs;
    if (ageMs < authSettings.of(this.#env).FLORIN_SIGNING_KEY_AGE) return newest;
    await this.rotate(systemContext(this.#env, "signing-keys"));
    return present((await this.#rows())[0], "a key was made");
  }

  /**
   * The key that signs while the deployment takes a backup, which replaces all keys. It was perhaps served before with another
   * `FLORIN_SECRET_KEY` than that of the backup: a key that was encrypted with it is followed by a new one, so that the restoration can be
   * begun. The audit, whose rows come back with their ids, has no entry of it.
   */
  async #replacedKey(newest: SigningKeyRow): Promise<SigningKeyRow> {
    if (this.#box.hasKeyOf(newest.privateKey)) return newest;
    await this.#store.insertSigningKey(await this.#generate(newest.sequence + 1));
    return present((await this.#rows())[0], "a key was made");
  }

  /** The stored keys, newest first. Makes the first key if there is none; if two isolates do so at the same time, one key is stored. */
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
      // After this update the previous FLORIN_SECRET_KEY is no longer needed for this key.
      await this.#store.updatePrivateKey(kid, this.#box.seal(pkcs8, purposeOf(kid)));
    }
    return { kid, privateKey: await importPKCS8(pkcs8, TOKEN_ALGORITHM) };
  }
}

/** Sequence of the first key. It is fixed, so that the primary key refuses a second first key. */
const FIRST_SEQUENCE = 1;

const purposeOf = (kid: string): string => `auth signing key ${kid}`;

/** `#generate` has written the columns. */
function toPublicKey(kid: string, json: string): PublicKey {
  const { n, e } = parseJson(json) as Pick<PublicKey, "n" | "e">;
  return { use: "sig", kty: "RSA", kid, alg: TOKEN_ALGORITHM, n, e };
}

/** Imports the public key of an RSA pair. Throws for any other key. */
export const importPublicKey = ({ n, e }: Pick<PublicKey, "n" | "e">): Promise<CryptoKey> =>
  importJWK({ kty: "RSA", n, e }, TOKEN_ALGORITHM);
