import { z } from "zod";
import { type CloudflareApi, CloudflareError } from "./cloudflare.ts";
import { deploymentConfig, type NeededBucket, neededResources } from "./config.ts";
import { findDatabase } from "./database.ts";
import { type DeployEnvironment, recordDatabaseId } from "./environment.ts";
import { findQueues, hasBucket, placeOf } from "./resources.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** A deployment that is to be deleted. */
export interface DoomedDeployment {
  readonly api: CloudflareApi;
  readonly environment: DeployEnvironment;
  /** The path of the environment file, if there is one. */
  readonly file: string;
}

/** Something of a deployment that exists, and how it is deleted. */
export interface Deletion {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/**
 * Finds what exists of a deployment, in the order in which it is deleted: the Worker first, so that nothing writes any more, and with it its
 * objects, which hold the ledgers. A run that broke off goes on, because what is gone is not found again.
 */
export async function planDestruction(doomed: DoomedDeployment): Promise<Deletion[]> {
  const { api, environment, file } = doomed;
  const { name } = environment;
  const config = deploymentConfig({ environment, url: "", databaseId: "", script: "", file });
  const { workflows, queues, buckets } = neededResources(config);
  const deletions: Deletion[] = [];
  const script = `workers/scripts/${name}`;
  if ((await api.read(`${script}/secrets`, z.unknown())) !== undefined) {
    deletions.push({
      title: `the Worker ${name} with all ledgers`,
      run: () => api.remove(`${script}?force=true`),
    });
  }
  for (const workflow of workflows) {
    const path = `workflows/${workflow}`;
    if ((await api.read(path, z.unknown())) === undefined) continue;
    deletions.push({ title: `the workflow ${workflow}`, run: () => api.remove(path) });
  }
  for (const [queue, id] of await findQueues(api, queues)) {
    deletions.push({ title: `the queue ${queue}`, run: () => api.remove(`queues/${id}`) });
  }
  deletions.push(...(await planDatabaseDeletion(doomed)));
  for (const bucket of buckets) {
    if (!(await hasBucket(api, bucket))) continue;
    const title = `the R2 bucket ${bucket.name}`;
    deletions.push({ title, run: () => removeBucket(api, bucket) });
  }
  return deletions;
}

async function planDatabaseDeletion({
  api,
  environment: { name, database_id: id },
  file,
}: DoomedDeployment): Promise<Deletion[]> {
  const isGone =
    id !== undefined && (await api.read(`d1/database/${id}`, z.unknown())) === undefined;
  const database = isGone ? undefined : await findDatabase(api, name, id);
  if (database === undefined && id === undefined) return [];
  return [
    {
      title: database === undefined ? `the database's id in ${file}` : `the D1 database ${name}`,
      run: async () => {
        if (database !== undefined) await api.remove(`d1/database/${database.uuid}`);
        recordDatabaseId(file, undefined);
      },
    },
  ];
}

const CONFLICT = 409;

/** Deletes a bucket. Throws `OperatorError` if it has files, which the API does not delete with it. */
async function removeBucket(api: CloudflareApi, bucket: NeededBucket): Promise<void> {
  const { name } = bucket;
  try {
    await api.remove(`r2/buckets/${name}`, placeOf(bucket));
  } catch (cause) {
    if (!(cause instanceof CloudflareError) || cause.status !== CONFLICT) throw cause;
    throw new OperatorError(
      `The R2 bucket ${name} has files, and stays. Empty it in Cloudflare's dashboard or with an S3 client, and run the command again.`,
      { cause },
    );
  }
}
