import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { OperatorError } from "#scripts/lib/project.ts";

const SECRET_KEY = "FLORIN_SECRET_KEY";
const CLIENT = ["FLORIN_CLIENT_ID", "FLORIN_CLIENT_SECRET"] as const;

/**
 * The secrets that a run has made and not shown yet. They lie in a file that only the owner can read, from before they are sent until the end of
 * a whole run, which shows them and removes the file. A run that goes on after an interruption therefore sends the same secrets.
 */
export class PendingSecrets {
  readonly path: string;

  /** The file lies beside the environment file, under its name. */
  constructor(environmentFile: string) {
    this.path = environmentFile.replace(/(\.toml)?$/, ".secrets.json");
  }

  read(): Readonly<Record<string, string>> {
    if (!existsSync(this.path)) return {};
    return z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(this.path, "utf8")));
  }

  /** Adds secrets, atomically. */
  add(secrets: Readonly<Record<string, string>>): void {
    const all = { ...this.read(), ...secrets };
    writeFileSync(`${this.path}.new`, `${JSON.stringify(all, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** The names of the secrets that a Worker lacks. Id and secret of the first client belong together: if one is missing, both are made. */
export function missingSecrets(present: readonly string[]): string[] {
  const lacksClient = CLIENT.some((name) => !present.includes(name));
  return [...(present.includes(SECRET_KEY) ? [] : [SECRET_KEY]), ...(lacksClient ? CLIENT : [])];
}

/** Whether the output goes into a log that others read, as that of a continuous integration, which sets `CI`. */
export const isLogged = (env: NodeJS.ProcessEnv): boolean => Boolean(env["CI"]);

/** What decides where the values of missing secrets come from. */
export interface SecretSources {
  readonly env: NodeJS.ProcessEnv;
  readonly pending: PendingSecrets;
  /** Whether the database has tables, and so perhaps secrets that only the lost key decrypts. */
  readonly hasData: boolean;
}

/**
 * Throws `OperatorError` if a missing secret must not be made: a new key would not decrypt what an existing database holds, and the log of a
 * continuous integration is no place to show a secret.
 */
export function assertSecretsMayBeMade(
  missing: readonly string[],
  { env, pending, hasData }: SecretSources,
): void {
  const known = pending.read();
  const unknown = missing.filter((name) => !env[name] && known[name] === undefined);
  if (unknown.includes(SECRET_KEY) && hasData) {
    throw new OperatorError(
      `The database has data, but the Worker has no ${SECRET_KEY}, and a new key would not decrypt that data. Set ${SECRET_KEY} to the key of the data.`,
    );
  }
  if (unknown.length > 0 && isLogged(env)) {
    throw new OperatorError(
      `The Worker lacks ${unknown.join(", ")}, and a log is no place to show new secrets. Deploy once from your own machine, or pass them from the secrets of the repository; docs/deployment.md has an example.`,
    );
  }
}

/** Makes the missing secrets, or takes them from the environment, and keeps them until they are shown. */
export function makeSecrets(missing: readonly string[], { env, pending }: SecretSources): void {
  const known = pending.read();
  const made: Record<string, string> = {};
  for (const name of missing) {
    const value = env[name] || known[name];
    made[name] = value === undefined ? randomSecret(name) : value;
  }
  pending.add(made);
}

function randomSecret(name: string): string {
  if (name === "FLORIN_CLIENT_ID") return "florin-operator";
  return name === SECRET_KEY ? randomBytes(32).toString("base64") : randomBytes(24).toString("hex");
}
