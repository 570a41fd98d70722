import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { platformSettings } from "#platform/platform-settings.ts";
import { assertSettings, SettingsError } from "#platform/settings.ts";
import { inProject } from "#scripts/lib/project.ts";
import { withSettings } from "#scripts/lib/settings/docs.ts";
import { SETTING_TABLES } from "#scripts/lib/settings/tables.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const REQUIRED = { FLORIN_SECRET_KEY: KEY };

/** Parses the settings of all modules, and throws as a server does at its start. */
function parseSettings(source: Readonly<Record<string, unknown>>): Record<string, unknown> {
  assertSettings(SETTING_TABLES, source);
  return Object.assign({}, ...SETTING_TABLES.map((table) => table.parse(source))) as Record<
    string,
    unknown
  >;
}

describe("settings", () => {
  test("settings have the documented defaults", () => {
    expect(parseSettings(REQUIRED)).toMatchObject({
      FLORIN_AUTH: "on",
      FLORIN_LOCAL: false,
      FLORIN_SECRET_KEY: KEY,
      FLORIN_PREVIOUS_SECRET_KEYS: [],
      FLORIN_TRUSTED_ISSUERS: [],
      FLORIN_ALLOW_PRIVATE_HOSTS: false,
      FLORIN_DEFAULT_PAGE_SIZE: 15,
      FLORIN_MAX_PAGE_SIZE: 1000,
      FLORIN_BULK_MAX_SIZE: 1000,
      FLORIN_EXPERIMENTAL_FEATURES: true,
      FLORIN_BUCKET_RETENTION: 720 * 3_600_000,
      FLORIN_EXPORTERS: true,
      FLORIN_PIPELINE_PULL_INTERVAL: 5000,
      FLORIN_PIPELINE_PUSH_RETRY_PERIOD: 10_000,
      FLORIN_PIPELINE_SYNC_PERIOD: 60_000,
      FLORIN_PIPELINE_PAGE_SIZE: 100,
      FLORIN_WALLETS_LEDGER: "wallets-002",
    });
  });

  test("settings treat empty values as unset, and ignore other variables", () => {
    const settings = parseSettings({
      ...REQUIRED,
      FLORIN_AUTH: "",
      FLORIN_CLIENT_ID: "",
      FLORIN_CLIENT_SECRET: "",
      FLORIN_MAX_PAGE_SIZE: "",
      PATH: "/bin",
      DB: {},
    });
    expect(settings).toEqual(parseSettings(REQUIRED));
  });

  test("settings are read from texts", () => {
    const settings = parseSettings({
      ...REQUIRED,
      FLORIN_AUTH: "off",
      FLORIN_LOCAL: "true",
      FLORIN_CLIENT_ID: "me",
      FLORIN_CLIENT_SECRET: "s".repeat(16),
      FLORIN_PUBLIC_URL: "https://florin.example.com/base//",
      FLORIN_TRUSTED_ISSUERS: "https://a.example.com, http://b.example.com  florin books ,",
      FLORIN_PREVIOUS_SECRET_KEYS: `${KEY},${KEY}`,
      FLORIN_MAX_PAGE_SIZE: "100",
      FLORIN_WEBHOOK_RETRY_MIN_BACKOFF: "1m30s",
    });
    expect(settings).toMatchObject({
      FLORIN_AUTH: "off",
      FLORIN_PUBLIC_URL: "https://florin.example.com/base",
      FLORIN_TRUSTED_ISSUERS: [
        { issuer: "https://a.example.com", audiences: [] },
        { issuer: "http://b.example.com", audiences: ["florin", "books"] },
      ],
      FLORIN_PREVIOUS_SECRET_KEYS: [KEY, KEY],
      FLORIN_MAX_PAGE_SIZE: 100,
      FLORIN_WEBHOOK_RETRY_MIN_BACKOFF: 90_000,
    });
  });

  test.each([
    ["FLORIN_AUTH", "yes", 'FLORIN_AUTH is "yes". It takes "on" or "off".'],
    ["FLORIN_LOCAL", "1", 'FLORIN_LOCAL is "1". It takes "true" or "false".'],
    [
      "FLORIN_MAX_PAGE_SIZE",
      "1001",
      'FLORIN_MAX_PAGE_SIZE is "1001". It takes an integer from 1 to 1000.',
    ],
    [
      "FLORIN_MAX_PAGE_SIZE",
      "1e2",
      'FLORIN_MAX_PAGE_SIZE is "1e2". It takes an integer from 1 to 1000.',
    ],
    [
      "FLORIN_BULK_MAX_SIZE",
      "0",
      'FLORIN_BULK_MAX_SIZE is "0". It takes an integer from 1 to 100000.',
    ],
    [
      "FLORIN_PUBLIC_URL",
      "ftp://x",
      'FLORIN_PUBLIC_URL is "ftp://x". It takes an http(s) URL without query.',
    ],
    [
      "FLORIN_TRUSTED_ISSUERS",
      "https://a.example.com?x",
      'FLORIN_TRUSTED_ISSUERS is "https://a.example.com?x". It takes comma separated http(s) URLs, each followed by its audiences, if any, separated by spaces.',
    ],
    [
      "FLORIN_WEBHOOK_RETRY_MIN_BACKOFF",
      "5",
      'FLORIN_WEBHOOK_RETRY_MIN_BACKOFF is "5". It takes a duration such as "300ms", "5s" or "1h30m".',
    ],
    [
      "FLORIN_BUCKET_CLEANUP_SCHEDULE",
      "0 * * * *",
      'FLORIN_BUCKET_CLEANUP_SCHEDULE is "0 * * * *". It takes six cron fields, seconds first, such as "0 0 * * * *", for times that come.',
    ],
    [
      "FLORIN_BUCKET_RETENTION",
      "30d",
      'FLORIN_BUCKET_RETENTION is "30d". It takes a duration such as "300ms", "5s" or "1h30m".',
    ],
    [
      "FLORIN_PIPELINE_PULL_INTERVAL",
      "0s",
      'FLORIN_PIPELINE_PULL_INTERVAL is "0s". It takes a duration such as "300ms", "5s" or "1h30m", of 10 ms at least.',
    ],
    [
      "FLORIN_AUDIT_RETENTION",
      "0s",
      'FLORIN_AUDIT_RETENTION is "0s". It takes a duration such as "8760h", from 1h to 876000h.',
    ],
    [
      "FLORIN_AUDIT_RETENTION",
      "3000000000h",
      'FLORIN_AUDIT_RETENTION is "3000000000h". It takes a duration such as "8760h", from 1h to 876000h.',
    ],
    [
      "FLORIN_PIPELINE_PAGE_SIZE",
      "0",
      'FLORIN_PIPELINE_PAGE_SIZE is "0". It takes an integer from 1 to 1000.',
    ],
  ])("settings refuse a wrong %s in one sentence", (name, value, sentence) => {
    expect(() => parseSettings({ ...REQUIRED, [name]: value })).toThrow(
      new SettingsError(sentence),
    );
  });

  test("settings name every wrong one, and what is missing", () => {
    const source = { FLORIN_AUTH: "x", FLORIN_LOCAL: "y" };
    expect(() => parseSettings(source)).toThrow(
      /FLORIN_LOCAL is[^]*FLORIN_SECRET_KEY is not set[^]*FLORIN_AUTH is/,
    );
  });

  test.each(["c2hvcnQ=", `${KEY}!`, KEY.slice(1)])(
    "settings never show a secret that does not fit",
    (secret) => {
      const source = {
        FLORIN_SECRET_KEY: secret,
        FLORIN_CLIENT_ID: "a",
        FLORIN_CLIENT_SECRET: "short",
      };
      const message = messageOf(() => parseSettings(source));
      expect(message).toContain("FLORIN_SECRET_KEY is a value that does not fit");
      expect(message).not.toContain(secret);
      expect(message).not.toContain("short");
    },
  );

  test.each([
    [{ FLORIN_CLIENT_ID: "a" }, "belong together"],
    [{ FLORIN_CLIENT_SECRET: "s".repeat(16) }, "belong together"],
    [
      { FLORIN_CLIENT_ID: "fctl", FLORIN_CLIENT_SECRET: "s".repeat(16) },
      "the id of a client that is built in, Formance's command line",
    ],
    [{ FLORIN_AUTH: "off" }, 'A deployment takes "on" only'],
    [
      { FLORIN_DEFAULT_PAGE_SIZE: "20", FLORIN_MAX_PAGE_SIZE: "10" },
      "at most FLORIN_MAX_PAGE_SIZE",
    ],
  ])("settings refuse values that contradict each other: %j", (source, message) => {
    expect(() => parseSettings({ ...REQUIRED, ...source })).toThrow(message);
  });

  test("settings of an environment are parsed once", () => {
    const env = { ...REQUIRED };
    expect(platformSettings.of(env)).toBe(platformSettings.of(env));
    expect(platformSettings.of({ ...REQUIRED })).not.toBe(platformSettings.of(env));
  });

  test("settings are listed on their page as the code has them", () => {
    const page = readFileSync(inProject("docs/settings.md"), "utf8");
    expect(withSettings(page), "run npm run settings:docs").toBe(page);
    const listed = [...page.matchAll(/^\| `(FLORIN_\w+)` \|/gm)].map(([, name = ""]) => name);
    const byStart = new Set(["FLORIN_LOCAL", "FLORIN_DIRECT"]);
    const names = SETTING_TABLES.flatMap((table) => table.names);
    const forUsers = ["FLORIN_STATE_DIR", ...names.filter((name) => !byStart.has(name))];
    expect(listed.toSorted()).toEqual(forUsers.toSorted());
  });

  test("settings belong to one module each", () => {
    const names = SETTING_TABLES.flatMap((table) => table.names);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
    return "";
  } catch (error) {
    return String(error);
  }
}
