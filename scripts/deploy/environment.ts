import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { readRawConfig } from "./raw-config.ts";
import { type SettingsTable, assertSettings, isBaseUrl } from "#platform/settings.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import { OWNED_SETTINGS } from "#scripts/lib/settings/tables.ts";

const Route = z.union([
  z.string(),
  z.strictObject({
    pattern: z.string(),
    custom_domain: z.boolean().optional(),
    zone_name: z.string().optional(),
    zone_id: z.string().optional(),
  }),
]);

const Name = z
  .string()
  .regex(
    /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    "expected 1 to 40 lower case letters, digits and hyphens, the first a letter",
  );

const EnvironmentFile = z.strictObject({
  name: Name,
  account_id: z.string().optional(),
  url: z.string().refine(isBaseUrl, "expected an http(s) URL without query").optional(),
  database_id: z.string().optional(),
  jurisdiction: z.enum(["eu", "fedramp"]).optional(),
  statements: z.enum(["r2", "objects"]).default("r2"),
  backups: z.enum(["r2", "none"]).default("none"),
  routes: z.array(Route).default([]),
  vars: z.record(z.string(), z.string()).default({}),
  wrangler: z.record(z.string(), z.unknown()).default({}),
});

/** What a deployment is: the content of its environment file. docs/deployment.md explains each key. */
export type DeployEnvironment = z.output<typeof EnvironmentFile>;

/** Reads an environment file; undefined if there is none yet. Throws `OperatorError` with a sentence for each fault. */
export function readEnvironment(file: string): DeployEnvironment | undefined {
  if (!existsSync(file)) return undefined;
  const parsed = EnvironmentFile.safeParse(rawContent(file));
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new OperatorError(`${file} does not fit:\n  ${faults.join("\n  ")}`);
  }
  assertVars(file, parsed.data.vars);
  return parsed.data;
}

function rawContent(file: string): unknown {
  try {
    return readRawConfig(file);
  } catch (cause) {
    throw new OperatorError(`${file} is no TOML: ${String(cause)}`, { cause });
  }
}

/** The name of the deployment of an environment that has no file yet. */
const standardName = (env: string): string => (env === "production" ? "florin" : `florin-${env}`);

/** What the deployment of an environment without a file is. */
export const standardEnvironment = (env: string): DeployEnvironment =>
  EnvironmentFile.parse({ name: standardName(env) });

/** The content of the environment file that the first deployment writes. */
export const environmentTemplate = (
  env: string,
): string => `# The environment "${env}" of \`npm run deploy\`; docs/deployment.md explains each key. No secret belongs in here: commit the file.

# The name of the Worker, and the beginning of the names of its database, queues, buckets and workflow. It never changes.
name = "${standardName(env)}"
`;

/** Writes an environment file, atomically. */
export function writeEnvironment(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

const DATABASE_LINE = /^database_id\s*=.*\n?/m;

/** Writes the database's id below the name, or removes it. All else, comments too, stays as it is. A file that is gone stays so. */
export function recordDatabaseId(file: string, id: string | undefined): void {
  if (!existsSync(file)) return;
  const text = readFileSync(file, "utf8").replace(DATABASE_LINE, "");
  const line = id === undefined ? "" : `\ndatabase_id = "${id}"`;
  const written = text.replace(/^(name\s*=.*)$/m, (name: string) => `${name}${line}`);
  writeEnvironment(file, written);
}

/** Settings that a deployment gets in another way, and how. */
const NOT_VARS: Readonly<Record<string, string>> = {
  FLORIN_PUBLIC_URL: "It follows from `url` or the first custom domain.",
  FLORIN_JURISDICTION: "It follows from `jurisdiction`.",
  FLORIN_LOCAL: "It is for `npm start` on one machine.",
  FLORIN_DIRECT: "It is for `npm start` on one machine.",
  FLORIN_CLIENT_ID: "It is a secret, which a deployment makes.",
};

/** Checks the variables as the Worker checks them. Throws `OperatorError` or `SettingsError` with a sentence for each. */
function assertVars(file: string, vars: Readonly<Record<string, string>>): void {
  const tables: readonly SettingsTable[] = OWNED_SETTINGS.map(({ table }) => table);
  const settings = Object.assign({}, ...tables.map((table) => table.settings)) as Record<
    string,
    { isSecret?: boolean }
  >; // each table has this shape, and no two tables have a setting in common
  const wrong = Object.keys(vars).flatMap((name) => {
    const why = NOT_VARS[name];
    if (why !== undefined) return [`${name} does not belong there. ${why}`];
    if (settings[name]?.isSecret === true) {
      return [`${name} is a secret: set it with wrangler secret put ${name}.`];
    }
    const isUnknown = name.startsWith("FLORIN_") && settings[name] === undefined;
    return isUnknown ? [`${name} is no setting of Florin; docs/settings.md has all.`] : [];
  });
  if (wrong.length > 0) throw new OperatorError(`[vars] of ${file}:\n  ${wrong.join("\n  ")}`);
  assertSettings(tables, { ...STAND_INS, ...vars });
}

/** Stand-ins for the secrets, with which the other settings are checked. */
const STAND_INS = {
  FLORIN_SECRET_KEY: Buffer.alloc(32).toString("base64"),
  FLORIN_CLIENT_ID: "stand-in",
  FLORIN_CLIENT_SECRET: "stand-in-for-a-secret",
};
