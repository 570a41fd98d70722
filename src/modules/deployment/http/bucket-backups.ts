import { z } from "@hono/zod-openapi";
import { beginOwnBackup, stateOf } from "#modules/deployment/backup/own-backups.ts";
import type {
  BackupState,
  CompleteBackup,
  RunTrouble,
} from "#platform/backup/scheduled/backup-keeper.ts";
import { Count, ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

const Trouble = z
  .object({
    at: TimestampOutput,
    reason: z.string().openapi({ description: "Why, as a sentence" }),
    failures: Count.openapi({ description: "Failures in a row" }),
  })
  .openapi("BackupTrouble");

const CompleteBackupResponse = z
  .object({
    snapshot: z.string().openapi({ description: "The folder of the snapshot, in `snapshots/`" }),
    sha256: z.string().openapi({
      description:
        "The SHA-256 of its manifest: kept elsewhere and given to `backup verify`, it shows that nothing was changed",
    }),
    began: TimestampOutput,
    ended: TimestampOutput,
    added: Count.openapi({ description: "New entries of ledgers" }),
    lacks: Count.openapi({
      description: "Ledgers and other objects that could not be saved; its manifest names them",
    }),
    alarms: Count.openapi({ description: "Alarms of the object that has made it" }),
    classA: Count.openapi({ description: "Operations of R2 that change or list" }),
    classB: Count.openapi({ description: "Operations of R2 that read" }),
  })
  .openapi("CompleteBackup");

const BucketBackupsResponse = z
  .object({
    last: CompleteBackupResponse.optional().openapi({
      description: "The last complete backup; absent if there is none",
    }),
    run: z
      .object({
        began: TimestampOutput,
        stage: z.string().openapi({ description: "What the run does" }),
        trouble: Trouble.optional().openapi({ description: "Why it does not go on at present" }),
      })
      .optional()
      .openapi({ description: "The run under way" }),
    failure: Trouble.optional().openapi({
      description: "Why the last run has ended without a backup; absent once one is complete",
    }),
    pruning: Trouble.optional().openapi({
      description:
        "Why the last run has not removed older backups, although its own is complete; absent once one has",
    }),
  })
  .openapi("BucketBackups");

const at = (ms: number): string => formatTimestamp(fromMillis(ms));

const toTroubleView = ({ atMs, reason, failures }: RunTrouble): z.input<typeof Trouble> => ({
  at: at(atMs),
  reason,
  failures,
});

function toCompleteView(last: CompleteBackup): z.input<typeof CompleteBackupResponse> {
  const { snapshot, sha256, beganMs, endedMs, added, lacks, work } = last;
  const { alarms, classA, classB } = work;
  const counts = { added, lacks, alarms, classA, classB };
  return { snapshot, sha256, began: at(beganMs), ended: at(endedMs), ...counts };
}

function toView({
  last,
  run,
  failure,
  pruning,
}: BackupState): z.input<typeof BucketBackupsResponse> {
  return {
    ...(last === undefined ? {} : { last: toCompleteView(last) }),
    ...(run === undefined
      ? {}
      : {
          run: {
            began: at(run.beganMs),
            stage: run.stage,
            ...(run.trouble === undefined ? {} : { trouble: toTroubleView(run.trouble) }),
          },
        }),
    ...(failure === undefined ? {} : { failure: toTroubleView(failure) }),
    ...(pruning === undefined ? {} : { pruning: toTroubleView(pruning) }),
  };
}

const bucketBackups = operations({
  path: "/backup/bucket",
  tags: ["Backups"],
  scope: "florin",
  honoursLedgers: false,
});
const SHARED = { scope: "florin:operate" } as const;

/** Registers the backups that the deployment makes into its own bucket, `/api/florin/v1/backup/bucket`. */
export const registerBucketBackups = registration(
  bucketBackups.get("", {
    ...SHARED,
    operationId: "florinReadBucketBackups",
    summary: "Show the backups that the deployment makes into its bucket",
    answer: ok.data("The last backup, and the run under way", BucketBackupsResponse, toView),
    handle: ({ context }) => stateOf(context.env),
  }),
  bucketBackups.post("", {
    ...SHARED,
    operationId: "florinBeginBucketBackup",
    summary: "Begin a backup into the deployment's bucket now",
    description:
      "The deployment saves itself in the background, and the answer is there at once: `run` shows how far it is. One run is made at a time.",
    answer: ok.created("The run under way", BucketBackupsResponse, toView),
    errors: [409],
    handle: ({ context }) => beginOwnBackup(context),
  }),
);
