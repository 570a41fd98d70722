import { z } from "zod";
import type { CloudflareApi } from "./cloudflare.ts";

const Deployments = z.object({
  deployments: z.array(z.object({ versions: z.array(z.object({ version_id: z.string() })) })),
});
const Version = z.object({ annotations: z.record(z.string(), z.unknown()).nullish() });
const Secrets = z.array(z.object({ name: z.string() }));
const ScriptSettings = z.object({ tags: z.array(z.string()).nullish() });

/** What stands at Cloudflare of a deployment's Worker. */
export interface DeployedWorker {
  /** The names of its secrets, whose values nobody can read. */
  readonly secrets: readonly string[];
  /** The fingerprint with which the running version was deployed; undefined if another program deployed it, or if none runs. */
  readonly fingerprint: string | undefined;
  /**
   * Whether the run that deployed this version came to its end. A deployment is more than its script: wrangler then connects queues, the
   * workflow and routes, and the smoke test follows.
   */
  readonly isComplete: boolean;
}

const TAG = "workers/tag";
/** The tag of the Worker that names the version whose deployment came to its end. */
const COMPLETE = "florin:complete=";

export async function readWorker(api: CloudflareApi, name: string): Promise<DeployedWorker> {
  const secrets = await api.read(`workers/scripts/${name}/secrets`, Secrets);
  if (secrets === undefined) return { secrets: [], fingerprint: undefined, isComplete: false };
  const names = secrets.map((secret) => secret.name);
  const version = await runningVersion(api, name);
  if (version === undefined) return { secrets: names, fingerprint: undefined, isComplete: false };
  const path = `workers/scripts/${name}/versions/${version}`;
  const tag = (await api.read(path, Version))?.annotations?.[TAG];
  return {
    secrets: names,
    fingerprint: typeof tag === "string" ? tag : undefined,
    isComplete: (await tagsOf(api, name)).includes(`${COMPLETE}${version}`),
  };
}

/** Marks the running version as completely deployed. Tags of others stay. */
export async function markComplete(api: CloudflareApi, name: string): Promise<void> {
  const version = await runningVersion(api, name);
  const others = (await tagsOf(api, name)).filter((tag) => !tag.startsWith(COMPLETE));
  const tags = [...others, `${COMPLETE}${version}`];
  const path = `workers/scripts/${name}/script-settings`;
  await api.change(path, { method: "PATCH", body: { tags } }, z.unknown());
}

/** The version that gets all requests; undefined if there is none, or if somebody has split the requests between versions. */
async function runningVersion(api: CloudflareApi, name: string): Promise<string | undefined> {
  const known = await api.read(`workers/scripts/${name}/deployments`, Deployments);
  const versions = known?.deployments[0]?.versions ?? [];
  return versions.length === 1 ? versions[0]?.version_id : undefined;
}

async function tagsOf(api: CloudflareApi, name: string): Promise<readonly string[]> {
  const path = `workers/scripts/${name}/script-settings`;
  return (await api.read(path, ScriptSettings))?.tags ?? [];
}
