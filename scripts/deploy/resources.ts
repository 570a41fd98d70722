import { z } from "zod";
import { type CloudflareApi, CloudflareError } from "./cloudflare.ts";
import type { NeededBucket } from "./config.ts";

const Queue = z.object({ queue_id: z.string(), queue_name: z.string() });
const Bucket = z.object({ name: z.string() });
const CONFLICT = 409;

/** The queues of the account with one of these names, by name. */
export async function findQueues(
  api: CloudflareApi,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const parameters = names.map((name) => `name=${encodeURIComponent(name)}`).join("&");
  const queues = await api.list(`queues?${parameters}`, Queue);
  const ids = queues.map(({ queue_name: name, queue_id: id }) => [name, id] as const);
  return new Map(ids.filter(([name]) => names.includes(name)));
}

export async function createQueue(api: CloudflareApi, name: string): Promise<void> {
  await createOnce(() =>
    api.change("queues", { method: "POST", body: { queue_name: name } }, z.unknown()),
  );
}

/** The header that tells the API in which jurisdiction a bucket lies. */
export const placeOf = ({ jurisdiction }: NeededBucket): Readonly<Record<string, string>> =>
  jurisdiction === undefined ? {} : { "cf-r2-jurisdiction": jurisdiction };

export async function hasBucket(api: CloudflareApi, bucket: NeededBucket): Promise<boolean> {
  return (await api.read(`r2/buckets/${bucket.name}`, Bucket, placeOf(bucket))) !== undefined;
}

export async function createBucket(api: CloudflareApi, bucket: NeededBucket): Promise<void> {
  const request = {
    method: "POST",
    body: { name: bucket.name },
    headers: placeOf(bucket),
  } as const;
  await createOnce(() => api.change("r2/buckets", request, z.unknown()));
}

/** Creates what another run may have created in the meantime. */
async function createOnce(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!(error instanceof CloudflareError) || error.status !== CONFLICT) throw error;
  }
}
