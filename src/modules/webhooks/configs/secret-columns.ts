import type { PreviousSecret, Secrets } from "#modules/webhooks/core/secrets.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import type { SecretBox } from "#platform/secrets/secrets.ts";
import {
  maskUrlSecrets,
  originOf,
  replaceUrlSecrets,
  SECRET_MASK,
  urlSecretsByPlace,
} from "#platform/secrets/url-secrets.ts";

/** The columns of a config's secrets, which are encrypted. */
export interface SecretColumns {
  readonly secret: string;
  /** An encrypted JSON array of `PreviousSecret`; null if there are none. */
  readonly previousSecrets: string | null;
}

/** The columns of a config's URL. */
export interface EndpointColumns {
  /** The URL with masks in place of its secrets. */
  readonly endpoint: string;
  /** The URL with its secrets, encrypted; null if it has none. */
  readonly sealedEndpoint: string | null;
}

type EndpointRow = EndpointColumns & { readonly id: string };

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

  /** Decrypts the secrets. Throws if the key that encrypted one of them is not among the settings. */
  open(row: SecretRow): Secrets {
    const { id, previousSecrets } = row;
    const previous =
      previousSecrets === null
        ? []
        : toPreviousSecrets(this.#box.open(previousSecrets, previousPurposeOf(id)));
    return { current: this.openCurrent(row), previous };
  }

  /** Decrypts the current secret. Throws as `open` does. */
  openCurrent({ id, secret }: Omit<SecretRow, "previousSecrets">): string {
    return this.#box.open(secret, purposeOf(id));
  }

  /** The columns of a new URL. Masks in it stand for the secrets of the former URL. Throws `VALIDATION` for a mask that stands for nothing. */
  sealEndpoint(id: string, written: string, former?: EndpointRow): EndpointColumns {
    const url = this.#keepUrlSecrets(written, former);
    const endpoint = maskUrlSecrets(url);
    const sealedEndpoint = endpoint === url ? null : this.#box.seal(url, endpointPurposeOf(id));
    return { endpoint, sealedEndpoint };
  }

  /** Decrypts the URL with its secrets. Throws as `open` does. */
  openEndpoint({ id, endpoint, sealedEndpoint }: EndpointRow): string {
    return sealedEndpoint === null
      ? endpoint
      : this.#box.open(sealedEndpoint, endpointPurposeOf(id));
  }

  /** The URL with its secrets; undefined if it cannot be decrypted, which is logged. */
  openEndpointIfPossible(row: EndpointRow): string | undefined {
    try {
      return this.openEndpoint(row);
    } catch (error) {
      logError("the URL of a webhook can't be decrypted", error, { config: row.id });
      return undefined;
    }
  }

  /** Whether a URL, written with its secrets or with masks, is the one of a config. True for every config if no URL is asked for. */
  isEndpointOf(row: EndpointRow, asked: string | undefined): boolean {
    return asked === undefined || asked === row.endpoint || asked === this.openEndpoint(row);
  }

  /**
   * Puts the stored secrets in place of the masks of a new URL. A URL of another server has to repeat the secrets, because that
   * server would receive them. Throws `VALIDATION`.
   */
  #keepUrlSecrets(url: string, row: EndpointRow | undefined): string {
    return replaceUrlSecrets(url, (secret, place) => {
      if (secret !== SECRET_MASK) return secret;
      const former = row === undefined ? "" : this.openEndpoint(row);
      const kept = urlSecretsByPlace(former).get(place);
      if (kept === undefined) throw refusedMask(place, "there is no secret to keep");
      if (originOf(former) === originOf(url)) return kept;
      throw refusedMask(place, "the URL names another server: send the secret again");
    });
  }

  /** The secrets; undefined if they cannot be decrypted, which is logged. The config works again after it was given a new secret. */
  openIfPossible(row: SecretRow): Secrets | undefined {
    try {
      return this.open(row);
    } catch (error) {
      logError("a webhook secret that can't be decrypted is replaced", error, { config: row.id });
      return undefined;
    }
  }
}

const refusedMask = (place: string, why: string): AppError =>
  new AppError(
    "VALIDATION",
    `invalid config: endpoint${place} has the mask '${SECRET_MASK}', but ${why}`,
  );

const endpointPurposeOf = (id: string): string => `webhook endpoint ${id}`;
const purposeOf = (id: string): string => `webhook secret ${id}`;
const previousPurposeOf = (id: string): string => `previous webhook secrets ${id}`;

/** `seal` has written the column. */
const toPreviousSecrets = (json: string): readonly PreviousSecret[] =>
  parseJson(json) as readonly PreviousSecret[];
