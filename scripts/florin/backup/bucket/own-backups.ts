import { z } from "zod";
import { sleep, withPatience } from "#platform/backup/saving/patience.ts";
import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const PATH = "/api/florin/v1/backup/bucket";

const Trouble = z.object({ at: z.string(), reason: z.string(), failures: z.int() });
const BucketState = z.object({
  last: z
    .object({
      snapshot: z.string(),
      sha256: z.string(),
      began: z.string(),
      ended: z.string(),
      added: z.int(),
      lacks: z.int(),
      alarms: z.int(),
      classA: z.int(),
      classB: z.int(),
    })
    .optional(),
  run: z.object({ began: z.string(), stage: z.string(), trouble: Trouble.optional() }).optional(),
  failure: Trouble.optional(),
  pruning: Trouble.optional(),
});
export type BucketState = z.output<typeof BucketState>;

const Answer = z.object({ data: BucketState });

/** What a deployment says of the backups in its bucket. */
export const readBucketState = async (api: Pick<Api, "call">): Promise<BucketState> =>
  (await withPatience(() => api.call({ method: "GET", path: PATH, answer: Answer }))).data;

/** Time between two looks at a run, in milliseconds. */
const LOOK_MS = 2000;

/**
 * Lets a deployment save itself into its bucket, and waits until it has. The run goes on by itself if the command is stopped. Throws
 * `OperatorError` where a run is under way already, and where this one ends without a backup.
 */
export async function backUpIntoBucket(
  api: Pick<Api, "call">,
  note: (line: string) => void,
): Promise<NonNullable<BucketState["last"]>> {
  const began = await api.call({ method: "POST", path: PATH, answer: Answer });
  const before = began.data.last?.snapshot;
  for (let shown = ""; ;) {
    const { run, last, failure } = await readBucketState(api);
    if (run === undefined) {
      if (last !== undefined && last.snapshot !== before) return last;
      throw new OperatorError(failure?.reason ?? "The run has ended without a backup.");
    }
    const trouble = run.trouble === undefined ? "" : `: ${run.trouble.reason}`;
    const line = `  ${run.stage}${trouble}`;
    if (line !== shown) note(line);
    shown = line;
    await sleep(LOOK_MS);
  }
}
