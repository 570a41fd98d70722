import type { Batching } from "./batching.ts";
import { ConfigError, type ExporterConfig } from "./config.ts";
import type { LogItem } from "./log-page.ts";
import {
  callOutbound,
  urlProblem,
  type OutboundAccess,
  type OutboundCall,
  type OutboundResult,
} from "#platform/http/outbound.ts";
import { hideSecrets } from "#platform/secrets/url-secrets.ts";

/** What a driver gets from its caller. */
export interface DriverContext extends OutboundAccess {
  /** The bindings of the Worker, by name. */
  readonly bindings: Readonly<Record<string, unknown>>;
}

/** A kind of destination. */
export interface Driver {
  readonly name: string;
  /** Reads a config without touching the network. Throws `ConfigError` naming the field that is wrong. */
  readonly open: (config: ExporterConfig, context: DriverContext) => ExporterDestination;
  /** Where the driver's configs have secrets; undefined if they have none. */
  readonly secrets?: SecretFields;
}

/** Where log entries go. */
export interface ExporterDestination {
  readonly batching: Batching;
  /**
   * Sends entries of a ledger, at least one, in the order of the log; they may have been sent before. Resolves to what
   * went wrong when they were not all accepted, as a sentence that names no secret, and to nothing when they were.
   */
  readonly send: (ledger: string, entries: readonly LogItem[]) => Promise<string | undefined>;
}

/** The parts of a config that only its owner may know. */
export interface SecretFields {
  /** The config with what `replace` returns in the place of each secret. */
  readonly replace: (config: ExporterConfig, replace: ReplaceSecret) => ExporterConfig;
  /** The host that receives the secrets. When a config names another host, stored secrets are not reused. */
  readonly secretHost: (config: ExporterConfig) => string;
}

export type ReplaceSecret = (secret: string, place: SecretPlace) => string;

/** Where a config has a secret. */
export interface SecretPlace {
  /** Path of the field. */
  readonly path: string;
  /** Names the place in errors; no other secret of the config has the same name. */
  readonly name: string;
}

/** A URL of a config that calls may go to. */
export function assertCallable(field: string, url: string, { policy }: DriverContext): void {
  const problem = urlProblem(url, policy);
  if (problem !== undefined) throw new ConfigError(field, `${field} ${problem}`);
}

/** Time for one call of a destination, the reading of the answer included. */
const SEND_TIMEOUT_MS = 30_000;
/** Most bytes that are read of an answer: enough for a line about each entry of the largest batch. */
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
 * Describes what is wrong with an answer: none came, or its status is not a success. The server's text is masked,
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

/** Most of an answer that an error shows, in characters. */
const EXCERPT_LENGTH_MAX = 300;

/** The beginning of a text from elsewhere, on one line and without secrets. */
export function excerptOf(text: string, secrets: readonly string[] = []): string {
  const shown = hideSecrets(text, secrets);
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const line = shown.toWellFormed().replaceAll(/[\s\u0000-\u001f\u007f]+/g, " ");
  return line.trim().slice(0, EXCERPT_LENGTH_MAX);
}
