import type { PreviousSecret, Secrets } from "./core/secrets.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import type { SecretBox } from "#platform/secrets/secrets.ts";

/** How the secrets of a config stand in its row: encrypted. */
export interface SecretColumns {
  readonly secret: string;
  /** A JSON array. */
  readonly previousSecrets: string | null;
}

type SecretRow = SecretColumns & { readonly id: string };

/** Encrypts the secrets of configs, and decrypts them. */
export class SecretSealer {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  seal(id: string, { current, previous }: Secrets): SecretColumns {
    return {
      secret: this.#box.seal(current, purposeOf(id)),
      previousSecrets:
        previous.length === 0
          ? null
          : this.#box.seal(stringifyJson(previous), previousPurposeOf(id)),
    };
  }

  /** Throws when the key that has encrypted a secret is not among the settings. */
  open(row: SecretRow): Secrets {
    const { id, previousSecrets } = row;
    const previous =
      previousSecrets === null
        ? []
        : toPreviousSecrets(this.#box.open(previousSecrets, previousPurposeOf(id)));
    return { current: this.openCurrent(row), previous };
  }

  /** Throws as `open` does. */
  openCurrent({ id, secret }: Omit<SecretRow, "previousSecrets">): string {
    return this.#box.open(secret, purposeOf(id));
  }

  /** What `open` gives, or nothing where a key is lost: a new secret makes such a config work again. */
  openIfPossible(row: SecretRow): Secrets | undefined {
    try {
      return this.open(row);
    } catch (error) {
      logError("a webhook secret that can't be decrypted is replaced", error, { config: row.id });
      return undefined;
    }
  }
}

const purposeOf = (id: string): string => `webhook secret ${id}`;
const previousPurposeOf = (id: string): string => `previous webhook secrets ${id}`;

/** The column holds what `seal` made of such a list. */
const toPreviousSecrets = (json: string): readonly PreviousSecret[] =>
  parseJson(json) as readonly PreviousSecret[];
