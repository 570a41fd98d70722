import { z } from "@hono/zod-openapi";
import { beginBackup, type BegunBackup } from "#platform/backup/begun-backups.ts";
import { ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const BackupResponse = z
  .object({
    id: z.uuid(),
    beganAt: TimestampOutput,
    keyId: z.string().openapi({
      description:
        "The id of the key with which secrets are encrypted at present: a backup of the keys needs this one. It reveals nothing of the key.",
    }),
  })
  .openapi("Backup");

const toBackupView = ({ id, at, keyId }: BegunBackup): z.input<typeof BackupResponse> => ({
  id,
  beganAt: formatTimestamp(at),
  keyId,
});

const backups = operations({
  path: "/backup",
  tags: ["Backups"],
  scope: "florin",
  // A backup has everything, whoever it belongs to.
  honoursLedgers: false,
});

/** Registers the beginning of a backup, `POST /api/florin/v1/backup`. */
export const registerBackups = registration(
  backups.post("", {
    scope: "florin:operate",
    operationId: "florinBeginBackup",
    summary: "Begin a backup of ledgers and objects",
    description:
      "The audit has who began it. What the backup then reads, it reads with its id, for a day, and only with a token of the same client and subject.",
    answer: ok.created("The backup", BackupResponse, toBackupView),
    handle: ({ context }) => beginBackup(context),
  }),
);
