import { ImportNoteResponse, toImportNoteView } from "#modules/ledger/http/import-notes.ts";
import { rulesOf } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import {
  deploymentOf,
  ListParams,
  ok,
  operations,
  registration,
  toPageQuery,
} from "#platform/http/index.ts";

const logs = operations({ tags: ["Logs"], scope: "ledger" });

export const registerImportNotes = registration(
  logs.get("/ledgers/{ledger}/import-notes", {
    operationId: "florinListImportNotes",
    summary: "List what is odd about imported entries",
    description:
      "An import takes entries of Formance Ledger v2 as they are, hash for hash: with addresses and references of at most 8,192 characters, metadata of 400,000 bytes, 20,000 postings, and transactions of 1.4 MB with their volumes. Those that a write of this server would refuse are listed here, by the ids of the entries, each with the reasons. `sort` may be `id:asc`, which is the default, or `id:desc`.",
    params: LedgerParams,
    query: ListParams,
    answer: ok.page("A page of notes", ImportNoteResponse, toImportNoteView),
    errors: [404],
    handle: ({ params, query, context, c }) => {
      const { ledger } = params;
      const rules = rulesOf(ledger, "importNotes");
      const wanted = toPageQuery(query, rules, deploymentOf(c).settings);
      return LedgerService.from(context).listImportNotes(ledger, wanted);
    },
  }),
);
