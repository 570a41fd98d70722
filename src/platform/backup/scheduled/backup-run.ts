import { z } from "zod";
import { claimBucket } from "./bucket-owner.ts";
import { snapshotsIn } from "./bucket.ts";
import { catalogue, copy, server, tables } from "./database-stages.ts";
import { manifest, prune } from "./end-stages.ts";
import { bytes, fileList, keptFiles } from "./file-stages.ts";
import { compare, ends, heads, logs } from "./ledger-stages.ts";
import { objects, places } from "./object-stages.ts";
import { RunFailure } from "./run-failure.ts";
import {
  type Finish,
  KNOWN_FROM,
  RUN_FORM,
  type RunAt,
  type RunFacts,
  type RunTools,
  type RunStage,
} from "./run-state.ts";
import { FILES, LEDGERS, nameOfNext } from "#platform/backup/saving/file-names.ts";
import { wrapToPublicKey } from "#platform/backup/saving/wrapped-keys.ts";
import { OperatorError } from "#platform/errors.ts";

/** A run as it is stored between two steps. */
export interface StoredRun {
  readonly form: number;
  readonly facts: RunFacts;
  readonly stage: RunStage;
}

/** A run that begins at a time, in milliseconds since the epoch. */
export const newRun = (nowMs: number): StoredRun => ({
  form: RUN_FORM,
  facts: {
    began: new Date(nowMs).toISOString(),
    snapshot: "",
    moments: {},
    tables: [],
    classes: [],
    keyIds: [],
    added: 0,
  },
  stage: { name: "begin" },
});

const Versions = z.object({
  commit: z.string().optional(),
  versions: z.array(z.object({ name: z.string(), version: z.string() })),
});

/**
 * Does one step of a run. Nothing is stored before the returned function is called, which the caller does in the same change in which it stores
 * the run. Throws `RunFailure` where waiting does not help, and other errors where the step is to be done again.
 */
export function stepOf(tools: RunTools, { facts, stage }: StoredRun): Promise<Finish> {
  switch (stage.name) {
    case "begin":
      return begin(tools, facts);
    case "files":
      return files({ tools, facts, stage });
    case "heads":
      return heads({ tools, facts, stage });
    case "copy":
      return copy({ tools, facts, stage });
    case "server":
      return server({ tools, facts, stage });
    case "catalogue":
      return catalogue({ tools, facts, stage });
    case "tables":
      return tables({ tools, facts, stage });
    case "ends":
      return ends({ tools, facts, stage });
    case "compare":
      return compare({ tools, facts, stage });
    case "logs":
      return logs({ tools, facts, stage });
    case "kept-files":
      return keptFiles({ tools, facts, stage });
    case "bytes":
      return bytes({ tools, facts, stage });
    case "file-list":
      return fileList({ tools, facts, stage });
    case "places":
      return places({ tools, facts, stage });
    case "objects":
      return objects({ tools, facts, stage });
    case "manifest":
      return manifest({ tools, facts, stage });
    case "prune":
      return prune({ tools, facts, stage });
  }
}

/** Makes sure of the bucket, forgets what an earlier run has left, and finds a name. */
async function begin(tools: RunTools, facts: RunFacts): Promise<Finish> {
  const { bucket, owner, reads } = tools;
  const claim = await claimBucket(bucket, owner);
  const { complete, incomplete } = await snapshotsIn(bucket);
  const request = { method: "GET", path: "/versions", answer: Versions } as const;
  const { commit, versions } = await reads.call(request);
  if (tools.keys !== undefined) await assertPublicKey(tools.keys);
  const snapshot = nameOfNext([...complete, ...incomplete].toSorted(), facts.began);
  // What is known of ledgers is of the bucket that has the last backup: another one may have been bound meanwhile.
  const { lastComplete } = tools;
  const isOther = lastComplete !== undefined && !complete.includes(lastComplete);
  // The last snapshot is another one also where its run has given way behind the put of its manifest.
  const knowsLast = complete.at(-1) === lastComplete;
  return () => {
    if (isOther) {
      tools.ledgers.forgetAllKept();
      tools.files.forgetAllKept();
    }
    if (!knowsLast || tools.kv.get(KNOWN_FROM) === undefined) tools.kv.put(KNOWN_FROM, snapshot);
    tools.rows.clear();
    tools.ledgers.clear();
    tools.places.clear();
    tools.files.clear();
    tools.staged.clear();
    return {
      stage: { name: "files", after: "" },
      facts: {
        claim,
        snapshot,
        last: complete.at(-1),
        moments: { began: facts.began },
        versions: {
          ...(commit === undefined ? {} : { commit }),
          versions: Object.fromEntries(versions.map(({ name, version }) => [name, version])),
        },
      },
    };
  };
}

/** Throws `RunFailure` for a public key to which no keys can be wrapped: the manifest at the end of the run would need it. */
async function assertPublicKey({ keys, publicKey }: NonNullable<RunTools["keys"]>): Promise<void> {
  try {
    await wrapToPublicKey(keys, publicKey);
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    throw new RunFailure(`FLORIN_BACKUP_PUBLIC_KEY cannot be used: ${cause.message}`, { cause });
  }
}

/** Reads the next page of what the bucket has of ledgers, and then of the files of objects. */
async function files({ tools, stage }: RunAt<"files">): Promise<Finish> {
  const { of } = stage;
  const folder = of === undefined ? LEDGERS : FILES;
  const { after, cursor } = await tools.known.listNext(folder, stage);
  return () => {
    if (cursor !== undefined) return { stage: { name: "files", of, after, cursor } };
    return of === undefined
      ? { stage: { name: "files", of: "objects", after: "" } }
      : { stage: { name: "heads", after: 0 } };
  };
}
