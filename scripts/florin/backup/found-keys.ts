import { readFileSync } from "node:fs";
import type { DeploymentKeys, Opener, Recipient } from "./wrapped-keys.ts";
import { type Call, type Option, UsageError } from "#scripts/florin/command.ts";
import { HOME } from "#scripts/lib/place.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import { readSecrets, statePath } from "#scripts/lib/state.ts";

/** The options of a backup that say where its keys come from, and who can open them. */
export const KEY_OPTIONS = {
  "passphrase-file": {
    kind: "text",
    meaning: "a file with the passphrase that opens the keys in the backup",
  },
  "to-key": {
    kind: "text",
    meaning:
      "a file with a public key of X25519 in PEM, whose private key opens the keys in the backup",
  },
  "key-file": {
    kind: "text",
    meaning:
      "a file with the server's FLORIN_SECRET_KEY, and FLORIN_PREVIOUS_SECRET_KEYS on the next line if it has any; by default they are taken from the environment, or from the state folder of a local server",
  },
} as const satisfies Readonly<Record<string, Option>>;

/** The options of a command that opens keys. */
export const OPENER_OPTIONS = {
  "passphrase-file": { kind: "text", meaning: "the file with the passphrase" },
  "private-key-file": { kind: "text", meaning: "the file with the private key in PEM" },
} as const satisfies Readonly<Record<string, Option>>;

/** The keys that go into a backup; undefined if the operator wants none in it. Throws `OperatorError` where they are not found. */
export function keysToSave(
  call: Call,
): { readonly keys: DeploymentKeys; readonly recipient: Recipient } | undefined {
  const recipient = recipientOf(call);
  if (recipient === undefined) {
    if (call.text("key-file") !== undefined) {
      throw new UsageError(
        "--key-file needs --passphrase-file or --to-key: keys are never stored open.",
      );
    }
    return undefined;
  }
  return { keys: findKeys(call), recipient };
}

function recipientOf(call: Call): Recipient | undefined {
  const [passphrase, key] = [call.text("passphrase-file"), call.text("to-key")];
  if (passphrase !== undefined && key !== undefined) {
    throw new UsageError("--passphrase-file and --to-key exclude each other.");
  }
  if (passphrase !== undefined) return { passphrase: readPassphrase(passphrase) };
  return key === undefined ? undefined : { publicKey: readText(key) };
}

/** What the operator opens keys with. */
export function openerOf(call: Call): Opener {
  const [passphrase, key] = [call.text("passphrase-file"), call.text("private-key-file")];
  if (passphrase !== undefined) return { passphrase: readPassphrase(passphrase) };
  if (key !== undefined) return { privateKey: readText(key) };
  throw new UsageError("--passphrase-file or --private-key-file is missing.");
}

function findKeys(call: Call): DeploymentKeys {
  const file = call.text("key-file");
  if (file !== undefined) {
    const [current = "", previous = ""] = readText(file).split("\n");
    return toKeys(current, previous, `The file ${file}`);
  }
  const { FLORIN_SECRET_KEY: given = "", FLORIN_PREVIOUS_SECRET_KEYS: previous = "" } = call.env;
  if (given !== "") return toKeys(given, previous, "The environment");
  const isLocal = call.url === undefined && !call.env["FLORIN_URL"];
  const local = isLocal ? readSecrets(statePath(call.env, HOME)) : undefined;
  if (local !== undefined) return toKeys(local.secretKey, previous, "The state folder");
  throw new OperatorError(
    "The server's FLORIN_SECRET_KEY is not known here. Name a file with it by --key-file, or set it in the environment.",
  );
}

/** A key of 256 bits in base64, as the server wants it. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Keys of texts, alone or as `NAME=value`. */
function toKeys(current: string, previous: string, place: string): DeploymentKeys {
  const valueOf = (text: string): string => text.trim().replace(/^FLORIN_\w+=/, "");
  const others = valueOf(previous)
    .split(/[\s,]+/)
    .filter((text) => text !== "");
  const keys = [valueOf(current), ...others];
  if (!keys.every((key) => KEY.test(key))) {
    throw new OperatorError(`${place} has a key that is none: a key is 32 bytes in base64.`);
  }
  return { FLORIN_SECRET_KEY: valueOf(current), FLORIN_PREVIOUS_SECRET_KEYS: others };
}

function readPassphrase(file: string): string {
  const passphrase = readText(file).replace(/\r?\n$/, "");
  if (passphrase !== "") return passphrase;
  throw new OperatorError(`The file ${file} is empty.`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException; // `node:fs` throws errors with a code
    throw new OperatorError(`The file ${file} cannot be read: ${code}.`, { cause });
  }
}
