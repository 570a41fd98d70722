import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyIdsOf } from "#platform/backup/saving/wrapped-keys.ts";
import { keysToSave, openerOf } from "#scripts/florin/backup/found-keys.ts";
import { assertCurrentKey, assertUsedKey } from "#scripts/florin/backup/keys/given-keys.ts";
import type { Call } from "#scripts/florin/command.ts";

const folder = mkdtempSync(join(tmpdir(), "florin-found-keys-"));

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const [CURRENT, OLD, OLDER] = [keyOf(1), keyOf(2), keyOf(3)];

function fileOf(content: string | Buffer): string {
  const file = join(folder, crypto.randomUUID());
  writeFileSync(file, content);
  return file;
}

function callOf(options: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}): Call {
  const given: Pick<Call, "env" | "text" | "url"> = {
    env,
    text: (name) => options[name],
    url: undefined,
  };
  return given as Call; // what keys are found by
}

const passphrase = fileOf("correct horse\n");

const found = (content: string) =>
  keysToSave(callOf({ "passphrase-file": passphrase, "key-file": fileOf(content) }))?.keys;

test.each([
  {
    what: "by their names",
    content: `FLORIN_SECRET_KEY=${CURRENT}\nFLORIN_PREVIOUS_SECRET_KEYS=${OLD},${OLDER}\n`,
  },
  {
    what: "by their names in another order",
    content: `FLORIN_PREVIOUS_SECRET_KEYS=${OLD} ${OLDER}\n\nFLORIN_SECRET_KEY=${CURRENT}`,
  },
  { what: "in their order without names", content: `${CURRENT}\r\n${OLD},${OLDER}\r\n` },
])("keys of a file are found $what", ({ content }) => {
  expect(found(content)).toEqual({
    FLORIN_SECRET_KEY: CURRENT,
    FLORIN_PREVIOUS_SECRET_KEYS: [OLD, OLDER],
  });
});

test("a file of one key has no previous ones", () => {
  expect(found(CURRENT)).toEqual({ FLORIN_SECRET_KEY: CURRENT, FLORIN_PREVIOUS_SECRET_KEYS: [] });
  expect(found(`FLORIN_SECRET_KEY=${CURRENT}\nFLORIN_PREVIOUS_SECRET_KEYS=\n`)).toEqual({
    FLORIN_SECRET_KEY: CURRENT,
    FLORIN_PREVIOUS_SECRET_KEYS: [],
  });
});

test.each([
  { what: "a third line", content: `${CURRENT}\n${OLD}\n${OLDER}`, why: "neither of" },
  {
    what: "a name twice",
    content: `FLORIN_SECRET_KEY=${CURRENT}\nFLORIN_SECRET_KEY=${OLD}`,
    why: "comes twice",
  },
  { what: "another name", content: `FLORIN_CLIENT_SECRET=${CURRENT}`, why: "neither of" },
  {
    what: "no current key",
    content: `FLORIN_PREVIOUS_SECRET_KEYS=${OLD}`,
    why: "32 bytes in base64",
  },
  { what: "a variable of something else", content: `TOKEN=${CURRENT}`, why: "32 bytes in base64" },
])("a file of keys with $what is refused, and shows none of them", ({ content, why }) => {
  expect(() => found(content)).toThrow(why);
  expect(() => found(content)).not.toThrow(CURRENT);
});

test("a passphrase is a text: other bytes wrap nothing, and open what they have wrapped before", () => {
  const file = fileOf(Buffer.from([0xff, 0xfe, 0x80]));
  const env = { FLORIN_SECRET_KEY: CURRENT };
  expect(() => keysToSave(callOf({ "passphrase-file": file }, env))).toThrow("no text in UTF-8");
  expect(openerOf(callOf({ "passphrase-file": file }))).toEqual({
    passphrase: "\ufffd\ufffd\ufffd",
  });
  const options = { "passphrase-file": passphrase };
  expect(keysToSave(callOf(options, env))).toMatchObject({
    place: "The environment",
    recipient: { passphrase: "correct horse" },
  });
});

test("keys are refused unless the one in force is among them, and the sentence says where they are from", () => {
  const env = { FLORIN_SECRET_KEY: CURRENT, FLORIN_PREVIOUS_SECRET_KEYS: OLD };
  const given = keysToSave(callOf({ "passphrase-file": passphrase }, env));
  const [current = "", old = "", other = ""] = keyIdsOf({
    FLORIN_SECRET_KEY: CURRENT,
    FLORIN_PREVIOUS_SECRET_KEYS: [OLD, OLDER],
  });
  assertCurrentKey(given, current);
  assertCurrentKey(given, old);
  assertCurrentKey(undefined, other);
  expect(() => assertCurrentKey(given, other)).toThrow(
    `The environment has none of the server's keys in force: the server encrypts with the key ${other}`,
  );
  // A server of an earlier version tells by its values only.
  assertUsedKey(given, []);
  assertUsedKey(given, [current, other]);
  expect(() => assertUsedKey(given, [other])).toThrow("The environment has none of the keys");
});
