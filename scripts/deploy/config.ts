import { createHash } from "node:crypto";
import { dirname, relative } from "node:path";
import type { Unstable_RawConfig } from "wrangler";
import type { DeployEnvironment } from "./environment.ts";
import { readRawConfig } from "./raw-config.ts";
import { inProject } from "#scripts/lib/project.ts";

/** A configuration of wrangler, as its file has it. */
export type WranglerConfig = Unstable_RawConfig;

/** What a configuration follows from, besides wrangler.toml. */
export interface ConfigSources {
  readonly environment: DeployEnvironment;
  readonly url: string;
  readonly databaseId: string;
  /** The path of the built script. */
  readonly script: string;
  /** The path of the configuration's own file, from which its paths start. */
  readonly file: string;
}

/**
 * The complete configuration of a deployment: wrangler.toml, whose names get the deployment's own beginning, the environment file, and the
 * built script. Since nothing else is a source, no deployment loses what an earlier one had.
 *
 *     wrangler.toml      deploy/<env>.toml      dist/worker/<hash>/index.js
 *           └──────────────────┼──────────────────────────┘
 *                              ▼
 *                  dist/deploy/<name>/wrangler.json ──▶ wrangler deploy
 */
export function deploymentConfig(sources: ConfigSources): WranglerConfig {
  const { environment, url, databaseId, script, file } = sources;
  const base = readRawConfig(inProject("wrangler.toml")) as WranglerConfig; // `npm run check` reads the file by wrangler's own schema.
  const { minify: _, keep_names: __, ...kept } = base; // The script is built already.
  const from = (path: string): string => relative(dirname(file), path);
  const named = renamed(kept, base.name ?? "florin", environment.name);
  const { jurisdiction, routes } = environment;
  const placed = jurisdiction === undefined ? {} : { jurisdiction };
  const config = {
    ...named,
    ...(environment.account_id === undefined ? {} : { account_id: environment.account_id }),
    main: from(script),
    no_bundle: true,
    find_additional_modules: false,
    workers_dev: routes.length === 0,
    preview_urls: false,
    ...(routes.length === 0 ? {} : { routes }),
    assets: { ...base.assets, directory: from(inProject(base.assets?.directory ?? "dist/assets")) },
    d1_databases: (named.d1_databases ?? []).map((database) => ({
      ...database,
      database_id: databaseId,
      migrations_dir: from(inProject("migrations")),
    })),
    ratelimits: (base.ratelimits ?? []).map((limit) => ({
      ...limit,
      namespace_id: namespaceOf(limit.namespace_id, environment.name),
    })),
    r2_buckets: [
      ...(environment.statements === "r2"
        ? [bucketOf(environment, "FLORIN_STATEMENTS", "statements")]
        : []),
      ...(environment.backups === "r2" ? [bucketOf(environment, "FLORIN_BACKUPS", "backups")] : []),
    ],
    workflows: (named.workflows ?? []).map((workflow) => ({ ...workflow, ...placed })),
    vars: {
      ...environment.vars,
      FLORIN_PUBLIC_URL: url,
      ...(jurisdiction === undefined ? {} : { FLORIN_JURISDICTION: jurisdiction }),
    },
  };
  return merged(config, environment.wrangler) as WranglerConfig; // Wrangler checks the result as it checks its own file.
}

/** A bucket of a deployment, whose name has what is in it. */
const bucketOf = (
  { name, jurisdiction }: DeployEnvironment,
  binding: string,
  what: "statements" | "backups",
) => ({
  binding,
  bucket_name: `${name}-${what}`,
  ...(jurisdiction === undefined ? {} : { jurisdiction }),
});

/** Replaces the name of wrangler.toml by that of the deployment, wherever a name of a resource is it or begins with it. */
function renamed<T>(value: T, from: string, to: string): T {
  if (typeof value === "string") {
    const isNamed = value === from || value.startsWith(`${from}-`);
    return (isNamed ? `${to}${value.slice(from.length)}` : value) as T;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => renamed(item, from, to)) as T;
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, renamed(item, from, to)]);
  return Object.fromEntries(entries) as T;
}

/** The account's number of a rate limit, which deployments of one account must not share. */
function namespaceOf(standard: string, name: string): string {
  if (name === "florin") return standard;
  const hash = createHash("sha256").update(`${standard}\0${name}`).digest();
  return String(hash.readUInt32BE() >>> 1 || 1);
}

/** `more` over `base`: lists are appended, objects merged, other values replaced. */
function merged(base: unknown, more: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(more))
    return [...(base as unknown[]), ...(more as unknown[])];
  if (!isPlain(base) || !isPlain(more)) return more;
  const added = Object.entries(more).map(([key, value]) => [
    key,
    Object.hasOwn(base, key) ? merged(base[key], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(added) };
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An R2 bucket; in each jurisdiction it is another one. */
export interface NeededBucket {
  readonly name: string;
  readonly jurisdiction: string | undefined;
}

/** The resources that a configuration binds, which have to exist before it is deployed. */
export interface NeededResources {
  readonly queues: readonly string[];
  readonly buckets: readonly NeededBucket[];
  readonly workflows: readonly string[];
}

export function neededResources(config: WranglerConfig): NeededResources {
  const { producers = [], consumers = [] } = config.queues ?? {};
  const queues = [
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, dead_letter_queue: dead }) =>
      dead === undefined ? [queue] : [queue, dead],
    ),
  ];
  return {
    queues: distinct(queues),
    buckets: (config.r2_buckets ?? []).flatMap(({ bucket_name: name, jurisdiction }) =>
      name === undefined ? [] : [{ name, jurisdiction }],
    ),
    workflows: distinct((config.workflows ?? []).map(({ name }) => name)),
  };
}

const distinct = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.filter((name) => name !== undefined)),
];
