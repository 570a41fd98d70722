import { mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RESTORATION_TOKEN } from "#platform/restoration/token-text.ts";
import { RestorationTokens } from "#scripts/florin/backup/restore/restoration-tokens.ts";
import { findClientSecret, findServerUrl } from "#scripts/florin/login/access.ts";

const BACKUP = "a".repeat(64);
const URL = "https://copy.example.com";

const freshConfig = () => mkdtempSync(join(tmpdir(), "florin-config-"));

const tokensIn = (
  XDG_CONFIG_HOME: string,
  use: { url?: string; secret?: string; backup?: string } = {},
) =>
  new RestorationTokens(
    { XDG_CONFIG_HOME },
    { url: URL, backup: BACKUP, secret: undefined, ...use },
  );

test("the token of a restoration is kept for one server and backup, where only its owner reads it, until it is forgotten", () => {
  const config = freshConfig();
  const tokens = tokensIn(config);
  expect(tokens.candidates()).toEqual([]);
  tokens.make();
  const token = tokens.make();
  expect(token).toMatch(RESTORATION_TOKEN);
  expect(tokensIn(config).candidates()).toEqual([token]);
  expect(tokensIn(config, { url: "https://other.example.com" }).candidates()).toEqual([]);
  expect(tokensIn(config, { backup: "b".repeat(64) }).candidates()).toEqual([]);
  const folder = join(config, "florin", "restorations");
  const [file = "", ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  writeFileSync(join(folder, file), "{");
  expect(() => tokens.candidates()).toThrow("has no token of a restoration. Remove it");
  tokens.forget();
  tokens.forget();
  expect(tokens.candidates()).toEqual([]);
});

test("a run with the secret of a client finds the same token on another machine, and nobody else does", () => {
  const token = tokensIn(freshConfig(), { secret: "s3cret" }).make();
  expect(token).toMatch(RESTORATION_TOKEN);
  expect(tokensIn(freshConfig(), { secret: "s3cret" }).candidates()).toEqual([token]);
  expect(tokensIn(freshConfig(), { secret: "other" }).candidates()).not.toContain(token);
  const other = tokensIn(freshConfig(), { secret: "s3cret", backup: "b".repeat(64) });
  expect(other.candidates()).not.toContain(token);
});

test("the server of a restoration is the one that the command names, and no plain HTTP to another machine", () => {
  expect(findServerUrl({ FLORIN_URL: `${URL}/x` }, undefined)).toBe(URL);
  expect(findServerUrl({ FLORIN_URL: URL }, "http://127.0.0.1:8787/")).toBe(
    "http://127.0.0.1:8787",
  );
  expect(() => findServerUrl({}, "http://copy.example.com")).toThrow("https");
  expect(() => findServerUrl({}, "copy")).toThrow("takes a URL");
  const nowhere = { FLORIN_STATE_DIR: freshConfig() };
  expect(() => findServerUrl(nowhere, undefined)).toThrow("No server runs on the state folder");
});

test("the secret of a client is that of the server which the command names", () => {
  const env = { FLORIN_URL: URL, FLORIN_CLIENT_ID: "ops", FLORIN_CLIENT_SECRET: "s3cret" };
  expect(findClientSecret(env, undefined)).toBe("s3cret");
  expect(findClientSecret(env, URL)).toBe("s3cret");
  expect(findClientSecret(env, "https://other.example.com")).toBeUndefined();
});
