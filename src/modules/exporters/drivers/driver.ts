import type { Batching } from "./batching.ts";
import { ConfigError, type ExporterConfig } from "./config.ts";
import type { LogItem } from "./log-page.ts";
import { outboundGate } from "#platform/arming/held-work.ts";
import {
  callOutbound,
  urlProblem,
  type OutboundAccess,
  type OutboundCall,
  type OutboundResult,
  systemFetch,
} from "#platform/http/outbound.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { hideSecrets } from "#platform/secrets/url-secrets.ts";

/** Access to other servers and bindings that a driver gets from its caller. */
export interface DriverContext extends OutboundAccess {
  /** The bindings of the Worker, by name. */
  readonly bindings: Readonly<Record<string, unknown>>;
}

export const driverContextOf = (env: Env): DriverContext => ({
  fetch: systemFetch(env),
  policy: { allowPrivateHosts: platformSettings.of(env).FLORIN_ALLOW_PRIVATE_HOSTS },
  gate: outboundGate(env),
  bindings: { ...env },
});

/** A kind of destination. */
export interface Driver {
  readonly name: string;
  /** Reads a config without touching the network. Throws `ConfigError` with the name of the field that is wrong. */
  readonly open: (config: ExporterConfig, context: DriverContext) => ExporterDestination;
  /** The secrets in the driver's configs; undefined if there are none. */
  readonly secrets?: SecretFields;
}

export interface ExporterDestination {
  readonly batching: Batching;
  /**
   * Sends entries of a ledger, at least one, in the order of the log. They may have been sent before. Resolves to undefined when all
   * entries were accepted, and otherwise to the problem, as a sentence without secrets.
   */
  readonly send: (ledger: string, entries: readonly LogItem[]) => Promise<string | undefined>;
}

/** The parts of a config that only its owner may know. */
export interface SecretFields {
  /** The config with the results of `replace` in place of its secrets. */
  readonly replace: (config: ExporterConfig, replace: ReplaceSecret) => ExporterConfig;
  /** The host that receives the secrets. Stored secrets are not reused for a config that names another host. */
  readonly secretHost: (config: ExporterConfig) => string;
}

export type ReplaceSecret = (secret: string, place: SecretPlace) => string;

export interface SecretPlace {
  readonly path: string;
  /** Name of the place in errors. No other secret of the config has the same name. */
  readonly name: string;
}

/** Throws `ConfigError` for a URL that may not be called. */
export function assertCallable(field: string, url: string, { policy }: DriverContext): void {
  const problem = urlProblem(url, policy);
  if (problem !== undefined) throw new ConfigError(field, `${field} ${problem}`);
}

/** Longest time for one call of a destination, in milliseconds, with the reading of the answer. */
const SEND_TIMEOUT_MS = 30_000;
/** Most bytes that are read of an answer, which are enough for a line about each entry of the largest batch. */
const ANSWER_BYTES_MAX = 2_000_000;

export const callDestination = (
  call: Pick<OutboundCall, "url" | "headers" | "body">,
  access: DriverContext,
): Promise<OutboundResult> =>
  callOutbound(
    { ...call, method: "POST", timeoutMs: SEND_TIMEOUT_MS, bodyBytesMax: ANSWER_BYTES_MAX },
    access,
  );

/**
 * Describes the problem of an answer: none came, or its status is not a success. Undefined for a success. The server's text is masked,
 * because a server may repeat the `secrets` that it was sent.
 */
export function problemOf(
  result: OutboundResult,
  secrets: readonly string[] = [],
): string | undefined {
  if (result.kind === "unreachable") return `no answer: ${excerptOf(result.error, secrets)}`;
  const { status } = result;
  if (status >= 200 && status < 300) return undefined;
  const excerpt = excerptOf(textOf(result), secrets);
  return excerpt === "" ? `the answer is ${status}` : `the answer is ${status}: ${excerpt}`;
}

export const textOf = ({ body }: { readonly body: Uint8Array }): string =>
  new TextDecoder().decode(body);

/** Longest part of an answer that an error shows, in characters. */
const EXCERPT_LENGTH_MAX = 300;

/** The beginning of a text of another server, on one line and without secrets. */
export function excerptOf(text: string, secrets: readonly string[] = []): string {
  const shown = hideSecrets(text, secrets);
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const line = shown.toWellFormed().replaceAll(/[\s\u0000-\u001f\u007f]+/g, " ");
  return line.trim().slice(0, EXCERPT_LENGTH_MAX);
}
