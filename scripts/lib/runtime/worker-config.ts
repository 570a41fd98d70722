import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Unstable_MiniflareWorkerOptions } from "wrangler";
import { inProject, ROOT } from "../project.ts";

/** What wrangler.toml says, in the form that Miniflare takes. */
export interface WorkerConfig {
  readonly name: string;
  readonly worker: WorkerOptions & KnownOptions;
}

/** Without the rules that say how to bundle, because the Worker is bundled already. */
type WorkerOptions = Omit<Unstable_MiniflareWorkerOptions["workerOptions"], "modulesRules">;

/** Options whose types the declared type hides behind an index signature. */
interface KnownOptions {
  readonly bindings?: Readonly<Record<string, string>>;
  readonly d1Databases: Readonly<Record<string, { id: string }>>;
  readonly assets: { directory: string };
}

/**
 * Reads wrangler.toml through wrangler. To load wrangler takes a good part of a start, so its answer is kept in a file
 * until what it depends on changes.
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

/** Reads wrangler.toml without the file. */
export async function askWrangler(): Promise<WorkerConfig> {
  const wrangler = await import("wrangler");
  const configPath = inProject(CONFIG);
  const { name } = wrangler.unstable_readConfig({ config: configPath }) as { name: string }; // its declared type is not published
  // `envFiles` is not in the declared type. Without it, `.dev.vars` would be read, which is for `wrangler dev`.
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

/** The answer depends on the version of wrangler, too, and names the project's folder. */
function fingerprint(): string {
  const hash = createHash("sha256").update(`${ROOT}\0`);
  for (const name of [CONFIG, "package-lock.json"]) hash.update(readFileSync(inProject(name)));
  return hash.digest("hex");
}

function readKept(file: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Kept; // only this module writes it, and whole
  } catch {
    return undefined; // not written yet
  }
}
