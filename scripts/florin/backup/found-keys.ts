import { readFileSync } from "node:fs";
import type { GivenKeys } from "./keys/given-keys.ts";
import type { Opener, Recipient } from "./wrapped-keys.ts";
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
      "a file with the lines FLORIN_SECRET_KEY=… and, if the server has any, FLORIN_PREVIOUS_SECRET_KEYS=…, or with the values alone, in this order; by default they are taken from the environment, or from the state folder of a local server",
  },
} as const satisfies Readonly<Record<string, Option>>;

/** The options of a command that opens keys. */
export const OPENER_OPTIONS = {
  "passphrase-file": { kind: "text", meaning: "the file with the passphrase" },
  "private-key-file": { kind: "text", meaning: "the file with the private key in PEM" },
} as const satisfies Readonly<Record<string, Option>>;

/** The keys that go into a backup; undefined if the operator wants none in it. Throws `OperatorError` where they are not found. */
export function keysToSave(call: Call): GivenKeys | undefined {
  const recipient = recipientOf(call);
  if (recipient === undefined) {
    if (call.text("key-file") !== undefined) {
      throw new UsageError(
        "--key-file needs --passphrase-file or --to-key: keys are never stored open.",
      );
    }
    return undefined;
  }
  return { ...findKeys(call), recipient };
}

function recipientOf(call: Call): Recipient | undefined {
  const [passphrase, key] = [call.text("passphrase-file"), call.text("to-key")];
  if (passphrase !== undefined && key !== undefined) {
    throw new UsageError("--passphrase-file and --to-key exclude each other.");
  }
  if (passphrase !== undefined) return { passphrase: readNewPassphrase(passphrase) };
  return key === undefined ? undefined : { publicKey: readText(key) };
}

/** What the operator opens keys with. */
export function openerOf(call: Call): Opener {
  const opener = givenOpenerOf(call);
  if (opener !== undefined) return opener;
  throw new UsageError("--passphrase-file or --private-key-file is missing.");
}

/** What the operator opens keys with; undefined where nothing is given. */
export function givenOpenerOf(call: Call): Opener | undefined {
  const [passphrase, key] = [call.text("passphrase-file"), call.text("private-key-file")];
  if (passphrase !== undefined) return { passphrase: readPassphrase(passphrase) };
  return key === undefined ? undefined : { privateKey: readText(key) };
}

type FoundKeys = Pick<GivenKeys, "keys" | "place">;

function findKeys(call: Call): FoundKeys {
  const file = call.text("key-file");
  if (file !== undefined) return toKeys(`The file ${file}`, namedValues(file));
  const { FLORIN_SECRET_KEY: given = "", FLORIN_PREVIOUS_SECRET_KEYS: previous = "" } = call.env;
  const named = { FLORIN_SECRET_KEY: given, FLORIN_PREVIOUS_SECRET_KEYS: previous };
  if (given !== "") return toKeys("The environment", named);
  const isLocal = call.url === undefined && !call.env["FLORIN_URL"];
  const local = isLocal ? readSecrets(statePath(call.env, HOME)) : undefined;
  if (local !== undefined) {
    return toKeys("The state folder", { ...named, FLORIN_SECRET_KEY: local.secretKey });
  }
  throw new OperatorError(
    "The server's FLORIN_SECRET_KEY is not known here. Name a file with it by --key-file, or set it in the environment.",
  );
}

const NAMES = ["FLORIN_SECRET_KEY", "FLORIN_PREVIOUS_SECRET_KEYS"] as const;
type Named = Record<(typeof NAMES)[number], string>;

/** The values of a file of keys: each line is `NAME=value`, or the value alone of the first name that no line had. Throws `OperatorError` for all else. */
function namedValues(file: string): Named {
  const found = new Map<string, string>();
  for (const line of readText(file).split("\n")) {
    const text = line.trim();
    if (text === "") continue;
    const [, name = NAMES.find((it) => !found.has(it)) ?? "", value = ""] =
      /^(?:(FLORIN_\w+)=)?(.*)$/.exec(text) ?? [];
    const isKnown = NAMES.some((it) => it === name);
    if (!isKnown || found.has(name)) {
      // The line is not shown, because it may be a secret.
      throw new OperatorError(
        `The file ${file} has a line that is neither of ${NAMES.join(" and ")}, or comes twice.`,
      );
    }
    found.set(name, value);
  }
  const valueOf = (name: (typeof NAMES)[number]): string => found.get(name) ?? "";
  return {
    FLORIN_SECRET_KEY: valueOf("FLORIN_SECRET_KEY"),
    FLORIN_PREVIOUS_SECRET_KEYS: valueOf("FLORIN_PREVIOUS_SECRET_KEYS"),
  };
}

/** A key of 256 bits in base64, as the server wants it. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;

function toKeys(place: string, named: Named): FoundKeys {
  const previous = named.FLORIN_PREVIOUS_SECRET_KEYS.split(/[\s,]+/).filter((text) => text !== "");
  const keys = {
    FLORIN_SECRET_KEY: named.FLORIN_SECRET_KEY.trim(),
    FLORIN_PREVIOUS_SECRET_KEYS: previous,
  };
  if (![keys.FLORIN_SECRET_KEY, ...previous].every((key) => KEY.test(key))) {
    throw new OperatorError(`${place} has a key that is none: a key is 32 bytes in base64.`);
  }
  return { keys, place };
}

/** A passphrase that is to open keys later. Throws `OperatorError` for bytes that are no text: they would all become the same letter. */
function readNewPassphrase(file: string): string {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readBytes(file));
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(
      `The file ${file} has bytes that are no text in UTF-8. A passphrase is a text; openssl rand -base64 24 makes one.`,
      { cause },
    );
  }
  return readPassphrase(file);
}

function readPassphrase(file: string): string {
  const passphrase = readText(file).replace(/\r?\n$/, "");
  if (passphrase !== "") return passphrase;
  throw new OperatorError(`The file ${file} is empty.`);
}

const readText = (file: string): string => readBytes(file).toString("utf8");

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException; // `node:fs` throws errors with a code
    throw new OperatorError(`The file ${file} cannot be read: ${code}.`, { cause });
  }
}
