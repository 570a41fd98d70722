import { z } from "@hono/zod-openapi";
import type { LedgerHead } from "#ledger-engine";
import { LedgerRestoring } from "#modules/ledger/service/restored-ledgers.ts";
import {
  Chunks,
  Count,
  ok,
  registration,
  restorationOperations,
  RestorationParams,
  RESTORING,
  writtenRestorationOf,
} from "#platform/http/index.ts";

/** Most facts of a request. */
const FACTS_MAX = 5000;

const AfterEntry = z
  .string()
  .regex(/^(?:-1|\d{1,15})$/, "expected the id of an entry, or -1")
  .transform(Number);

const Author = z.object({ issuer: z.string(), subject: z.string(), clientId: z.string() });

const HeadResponse = z
  .object({
    lastLogId: z.int().min(-1).openapi({
      description: "The id of the last entry that the ledger has; -1 for none",
    }),
    lastHash: z.string().openapi({
      description: "Its hash as an export has it; empty if there is none",
    }),
  })
  .openapi("RestoredLedger");

const ProgressResponse = HeadResponse.extend({
  complete: z.boolean().openapi({ description: "Whether the ledger was completed" }),
}).openapi("RestoredLedgerProgress");

const toHeadView = ({ lastLogId, lastHash }: LedgerHead): z.input<typeof HeadResponse> => ({
  lastLogId,
  lastHash,
});

const PATH = "/ledgers/{uuid}";
const restoring = restorationOperations();
const SHARED = { ...RESTORING, params: RestorationParams.extend({ uuid: z.uuid() }) } as const;
const answer = ok.data("How far the ledger has come", HeadResponse, toHeadView);

type LedgerRequest = Parameters<typeof writtenRestorationOf>[0] & {
  readonly params: { readonly uuid: string };
};

/** The ledger that a request writes. */
async function ledgerOf(request: LedgerRequest): Promise<LedgerRestoring> {
  return (await ledgerAndRestoration(request)).ledger;
}

async function ledgerAndRestoration(
  request: LedgerRequest,
): Promise<{ readonly ledger: LedgerRestoring; readonly reference: string }> {
  const { reference } = await writtenRestorationOf(request);
  return {
    ledger: await LedgerRestoring.find(request.context.env, request.params.uuid),
    reference,
  };
}

/** Registers how ledgers come back from a backup, below `/api/florin/v1/restorations/{restorationID}/ledgers`. */
export const registerRestoredLedgers = registration(
  restoring.get(PATH, {
    ...SHARED,
    operationId: "florinReadRestoredLedger",
    summary: "Read how far a ledger has come back",
    answer: ok.data("How far the ledger has come", ProgressResponse),
    handle: async (request) => {
      const ledger = await ledgerOf(request);
      return { ...toHeadView(await ledger.head()), complete: await ledger.isComplete() };
    },
  }),
  restoring.post(`${PATH}/log`, {
    ...SHARED,
    operationId: "florinRestoreLog",
    summary: "Write entries of a ledger's log",
    description:
      "Entries as an export has them, behind those that the ledger has. Hashes and volumes are computed again. If one is refused, those before it stay; after a lost answer, the ledger says how far it has come. Where another request writes the same log, one of the two gets 409.",
    query: z.object({
      after: AfterEntry.openapi({
        description: "The id of the entry behind which these come; -1 for the first ones",
      }),
    }),
    body: Chunks,
    bodyKind: "chunks",
    answer,
    handle: async (request) => (await ledgerOf(request)).takeLog(request.body, request.query.after),
  }),
  restoring.post(`${PATH}/origins`, {
    ...SHARED,
    operationId: "florinRestoreOrigins",
    summary: "Write what a ledger's log does not determine",
    description:
      "After all entries, and in their order: authors, the triggers that led to entries, and notes of imports. Facts may be sent again.",
    body: z.object({
      authors: z.array(z.object({ from: Count, author: Author.nullable() })).max(FACTS_MAX),
      causes: z.array(z.object({ log: Count, depth: Count })).max(FACTS_MAX),
      notes: z.array(z.object({ log: Count, notes: z.array(z.string()) })).max(FACTS_MAX),
    }),
    answer,
    handle: async (request) => {
      const { authors, causes, notes } = request.body;
      return (await ledgerOf(request)).takeOrigins({
        authors: authors.map(({ from, author }) => ({ from, author: author ?? undefined })),
        causes,
        notes: notes.map(({ log: id, notes: sentences }) => ({ id, notes: sentences })),
      });
    },
  }),
  restoring.post(`${PATH}/end`, {
    ...SHARED,
    operationId: "florinEndRestoredLedger",
    summary: "Complete a ledger",
    description:
      "Compares the end of its log with what the backup says, and sets up to where its events were published. Later events are published when the restoration has ended.",
    body: z.object({
      lastLogId: z.int().min(-1),
      lastHash: z.string().max(1000),
      publishedLogId: Count,
      importedLogId: Count.optional(),
    }),
    answer,
    handle: async (request) => {
      const { importedLogId, ...end } = request.body;
      const { ledger, reference } = await ledgerAndRestoration(request);
      return ledger.finish(reference, { ...end, importedLogId });
    },
  }),
);
