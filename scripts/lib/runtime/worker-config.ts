import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Unstable_MiniflareWorkerOptions } from "wrangler";
import { inProject, ROOT } from "../project.ts";

/** The contents of wrangler.toml, as options of Miniflare. */
export interface WorkerConfig {
  readonly name: string;
  readonly worker: WorkerOptions & KnownOptions;
}

/** Options without bundling rules, because the Worker is already bundled. */
type WorkerOptions = Omit<Unstable_MiniflareWorkerOptions["workerOptions"], "modulesRules">;

/** Options whose types the declared type hides behind an index signature. */
interface KnownOptions {
  readonly bindings?: Readonly<Record<string, string>>;
  readonly d1Databases: Readonly<Record<string, { id: string }>>;
  readonly assets: { directory: string };
  readonly durableObjects: Readonly<Record<string, { className: string; useSQLite: boolean }>>;
  readonly workflows: Readonly<Record<string, { name: string; className: string }>>;
}

/**
 * Reads wrangler.toml through wrangler. Loading wrangler takes a good part of a start, so that its answer is cached in a file until its
 * sources change.
 */
export async function readWorkerConfig(
  file: string = inProject("dist/worker-config.json"),
): Promise<WorkerConfig> {
  const sources = fingerprint();
  const kept = readKept(file);
  if (kept?.sources === sources) return kept.config;
  const config = await askWrangler();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ sources, config } satisfies Kept));
  renameSync(`${file}.${process.pid}`, file);
  return config;
}

/** Reads wrangler.toml through wrangler, without the cache. */
export async function askWrangler(): Promise<WorkerConfig> {
  const wrangler = await import("wrangler");
  const configPath = inProject(CONFIG);
  const { name } = wrangler.unstable_readConfig({ config: configPath }) as { name: string }; // Wrangler does not publish the declared type.
  // `envFiles` is not in the declared type. Without this option, wrangler would read `.dev.vars`, which is for `wrangler dev`.
  const quirk = { overrides: {}, envFiles: [".no-such-file"] };
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(
    configPath,
    undefined,
    quirk,
  );
  const { modulesRules: _, ...worker } = workerOptions;
  return { name, worker: worker as typeof worker & KnownOptions };
}

interface Kept {
  readonly sources: string;
  readonly config: WorkerConfig;
}

const CONFIG = "wrangler.toml";

/** A hash of the answer's sources. The answer also depends on the version of wrangler, and contains the project's folder. */
function fingerprint(): string {
  const hash = createHash("sha256").update(`${ROOT}\0`);
  for (const name of [CONFIG, "package-lock.json"]) hash.update(readFileSync(inProject(name)));
  return hash.digest("hex");
}

function readKept(file: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Kept; // Only this module writes the file, atomically.
  } catch {
    return undefined; // The file does not exist yet.
  }
}
