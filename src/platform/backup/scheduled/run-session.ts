import { z } from "zod";
import type { RunAt, RunFacts, RunTools, RunStage } from "./run-state.ts";
import type { BackupReads } from "#platform/backup/saving/calls.ts";

/** How long a run reads with one id, in milliseconds: the audit, which names the backup, is kept for an hour at least. */
const RENEWED_MS = 1_800_000;

const Begun = z.object({ data: z.object({ id: z.string() }) });

/** What ledgers and objects are read by, and the backup that the audit has for it. */
export interface RunSession {
  readonly reads: BackupReads;
  readonly session: NonNullable<RunFacts["session"]>;
}

/** The session of a run, which begins another backup every half an hour: a backup is open for a day. */
export async function sessionOf(
  { reads, nowMs }: RunTools,
  { session }: Pick<RunAt<RunStage["name"]>["facts"], "session">,
): Promise<RunSession> {
  const isOpen = session !== undefined && Math.abs(nowMs() - session.begunMs) < RENEWED_MS;
  if (isOpen) return { reads: reading(reads, session.ids.at(-1) ?? ""), session };
  const request = { method: "POST", path: "/api/florin/v1/backup", answer: Begun } as const;
  const { id } = (await reads.call(request)).data;
  const begun = { ids: [...(session?.ids ?? []), id], begunMs: nowMs() };
  return { reads: reading(reads, id), session: begun };
}

const reading = (reads: BackupReads, backup: string): BackupReads => ({
  call: (request) => reads.call({ ...request, query: { ...request.query, backup } }),
  send: (request) => reads.send({ ...request, query: { ...request.query, backup } }),
  ...(reads.waitsMs === undefined ? {} : { waitsMs: reads.waitsMs }),
});
