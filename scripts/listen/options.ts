import { parseArgs } from "node:util";
import { commandOf } from "#scripts/lib/place.ts";
import { OperatorError } from "#scripts/lib/project.ts";

export interface ListenOptions {
  /** Patterns of event types: names, `app.*` or `*`. */
  readonly types: readonly string[];
  readonly ledgers: readonly string[];
  /** The URL to which each event is sent as a webhook. */
  readonly forward: string | undefined;
  /** The URL of the server; undefined for the server of this folder. */
  readonly url: string | undefined;
  /** The secret that signs webhooks; undefined for the secret that is derived from the server's client. */
  readonly secret: string | undefined;
  /** Whether bodies of events are printed instead of summary lines. */
  readonly json: boolean;
}

/** What `--help` prints. */
export const USAGE = `Usage: ${commandOf("listen", "[--types 'ledger.*']")} [--ledger <name>] [--forward <url>] [--secret <base64>] [--url <server>] [--json]

  --types    which events: names, all of a module ('ledger.*') or all ('*'), with commas between them
  --ledger   only events of these ledgers, with commas between their names
  --forward  posts each event to this URL, with the headers and the signature of a webhook
  --secret   signs them with this secret, 24 bytes in base64, instead of one that belongs to the server's client
  --url      listens to this server, with FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET, instead of the server of this folder
  --json     prints the bodies, one a line`;

/** Parses the command line. Throws `OperatorError`, with the usage, for a wrong command line. */
export function parseOptions(args: readonly string[]): ListenOptions {
  const { types, ledger, forward, url, secret, json } = valuesOf(args);
  if (forward !== undefined && !isWebUrl(forward)) {
    throw wrong(`--forward is ${JSON.stringify(forward)}. It takes an http or https URL.`);
  }
  if (secret !== undefined && !isSecret(secret)) {
    throw wrong("--secret takes 24 bytes in base64, as made by `openssl rand -base64 24`.");
  }
  return {
    types: listOf(types ?? ["*"]),
    ledgers: listOf(ledger ?? []),
    forward,
    url,
    secret,
    json: json === true,
  };
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        types: { type: "string", multiple: true },
        ledger: { type: "string", multiple: true },
        forward: { type: "string" },
        url: { type: "string" },
        secret: { type: "string" },
        json: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

const wrong = (problem: string): OperatorError => new OperatorError(`${problem}\n\n${USAGE}`);

const listOf = (given: readonly string[]): string[] =>
  given.flatMap((text) => text.split(",")).filter((item) => item !== "");

const isWebUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const SECRET_BYTES = 24;

const isSecret = (text: string): boolean => {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === SECRET_BYTES && bytes.toString("base64") === text;
};
