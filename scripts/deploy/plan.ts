import { createHash } from "node:crypto";
import type { CloudflareAccess, CloudflareApi } from "./cloudflare.ts";
import { deploymentConfig, neededResources, type WranglerConfig } from "./config.ts";
import {
  applyMigrations,
  assertPlace,
  createDatabase,
  findDatabase,
  readMigrations,
} from "./database.ts";
import { readWorker } from "./deployed-worker.ts";
import {
  type DeployEnvironment,
  environmentTemplate,
  recordDatabaseId,
  writeEnvironment,
} from "./environment.ts";
import { createBucket, createQueue, findQueues, hasBucket } from "./resources.ts";
import {
  assertSecretsMayBeMade,
  makeSecrets,
  missingSecrets,
  type PendingSecrets,
} from "./secrets.ts";
import type { uploadWorker } from "./wrangler.ts";
import { MIGRATIONS, type MigrationsState } from "#platform/upgrade/migrations.ts";
import { inProject, OperatorError } from "#scripts/lib/project.ts";

/** The build that is deployed. */
export interface BuiltWorker {
  /** The path of the script. */
  readonly script: string;
  /** A hash of all files in dist/assets. */
  readonly assets: string;
}

/** A deployment, as its environment file and this checkout describe it. */
export interface PlannedDeployment {
  /** The environment's name. */
  readonly env: string;
  /** The path of the environment file. */
  readonly file: string;
  readonly environment: DeployEnvironment;
  /** Whether the environment file exists. */
  readonly hasFile: boolean;
  readonly url: string;
  readonly api: CloudflareApi;
  readonly access: CloudflareAccess;
  readonly pending: PendingSecrets;
  /** The environment of the process, which may give secrets. */
  readonly processEnv: NodeJS.ProcessEnv;
  readonly built: BuiltWorker;
  readonly upload: typeof uploadWorker;
}

/** One change. A run that broke off before, in or after it makes it again, unless the next plan finds it done. */
export interface DeployStep {
  readonly title: string;
  /** Whether the step changes only the environment file. */
  readonly isLocal: boolean;
  readonly run: () => Promise<void>;
}

/** The steps so far, and what later ones need of earlier ones. */
class Planning {
  readonly steps: DeployStep[] = [];
  databaseId: string | undefined;

  add(title: string, run: () => Promise<void>): void {
    this.steps.push({ title, isLocal: false, run });
  }

  /** Adds a change of the environment file. */
  addLocal(title: string, run: () => void): void {
    this.steps.push({ title, isLocal: true, run: async () => run() });
  }

  /** The database's id, which is known when the step of the database has run. */
  get madeDatabase(): string {
    if (this.databaseId === undefined) throw new Error("the database is made in an earlier step");
    return this.databaseId;
  }
}

/**
 * Compares what a deployment should be with what stands at Cloudflare, by reads only. The steps are in the order of what needs what:
 *
 *     environment file ▶ D1 ▶ queues ▶ buckets ▶ secrets ▶ migrations ▶ Worker
 *
 * The new tables come right before the Worker that needs them, as a Worker refuses tables of another version.
 */
export async function planDeployment(deployment: PlannedDeployment): Promise<DeployStep[]> {
  const { api, env, file, hasFile } = deployment;
  const planning = new Planning();
  if (!hasFile)
    planning.addLocal(`write ${file}`, () => writeEnvironment(file, environmentTemplate(env)));
  const migrations = await planDatabase(planning, deployment);
  const needed = neededResources(configOf(deployment, "to-be-made"));
  const queues = await findQueues(api, needed.queues);
  for (const name of needed.queues) {
    if (!queues.has(name)) planning.add(`create the queue ${name}`, () => createQueue(api, name));
  }
  for (const bucket of needed.buckets) {
    if (await hasBucket(api, bucket)) continue;
    planning.add(`create the R2 bucket ${bucket.name}`, () => createBucket(api, bucket));
  }
  await planWorker(planning, deployment, migrations);
  return planning.steps;
}

/** Plans the database, and returns how far its tables are. */
async function planDatabase(
  planning: Planning,
  { api, environment: { name, database_id: recorded, jurisdiction }, file }: PlannedDeployment,
): Promise<MigrationsState> {
  const database = await findDatabase(api, name, recorded);
  if (database !== undefined) assertPlace(database, jurisdiction);
  planning.databaseId = database?.uuid;
  if (database === undefined) {
    planning.add(`create the D1 database ${name}`, async () => {
      planning.databaseId = (await createDatabase(api, name, jurisdiction)).uuid;
      recordDatabaseId(file, planning.databaseId);
    });
    return { kind: "behind", missing: MIGRATIONS };
  }
  if (recorded === undefined) {
    planning.addLocal(`write the id of the D1 database ${name} into ${file}`, () =>
      recordDatabaseId(file, database.uuid),
    );
  }
  const state = await readMigrations(api, database.uuid);
  if (state.kind === "refused") throw new OperatorError(state.reason);
  return state;
}

/** Plans the secrets, the tables and the Worker, which follow each other. */
async function planWorker(
  planning: Planning,
  deployment: PlannedDeployment,
  migrations: MigrationsState,
): Promise<void> {
  const { api, access, environment, pending, processEnv, upload } = deployment;
  const { name } = environment;
  const worker = await readWorker(api, name);
  const missing = missingSecrets(worker.secrets);
  const lacking = migrations.kind === "behind" ? migrations.missing : [];
  const sources = { env: processEnv, pending, hasData: lacking.length < MIGRATIONS.length };
  assertSecretsMayBeMade(missing, sources);
  if (missing.length > 0) {
    planning.add(`make the secrets ${missing.join(", ")}`, async () =>
      makeSecrets(missing, sources),
    );
  }
  if (lacking.length > 0) {
    planning.add(`apply the migrations ${lacking.join(", ")}`, () =>
      applyMigrations(api, planning.madeDatabase),
    );
  }
  const isDeployed =
    worker.isComplete &&
    missing.length === 0 &&
    planning.databaseId !== undefined &&
    worker.fingerprint === fingerprintOf(deployment, configOf(deployment, planning.databaseId));
  if (isDeployed) return;
  planning.add(`deploy the Worker ${name}`, async () => {
    const config = configOf(deployment, planning.madeDatabase);
    await upload(access, {
      config,
      file: configFile(name),
      secretsFile: missing.length === 0 ? undefined : pending.path,
      fingerprint: fingerprintOf(deployment, config),
    });
  });
}

const configFile = (name: string): string => inProject("dist/deploy", name, "wrangler.json");

const configOf = (
  { environment, url, built }: PlannedDeployment,
  databaseId: string,
): WranglerConfig =>
  deploymentConfig({
    environment,
    url,
    databaseId,
    script: built.script,
    file: configFile(environment.name),
  });

const FINGERPRINT_LENGTH = 16;

/** A hash of all that a deployment consists of: the configuration, which names the script by the hash of its sources, and the files. */
function fingerprintOf({ built }: PlannedDeployment, config: WranglerConfig): string {
  const hash = createHash("sha256").update(JSON.stringify(config)).update(built.assets);
  return hash.digest("hex").slice(0, FINGERPRINT_LENGTH);
}
