import { act } from "#scripts/florin/api/act.ts";
import { type ApiItem, isObject, moneyText, type ShownFields } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import {
  fileOption,
  METADATA,
  metadataOf,
  membersOf,
  pairsOf,
  postingOf,
  readInput,
} from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Call, type Noun, type Option, UsageError } from "#scripts/florin/command.ts";

const PATH = "/api/ledger/v2/{ledger}/transactions";

/** The postings of a transaction, in the form in which `transactions create` takes them. */
const postings = ({ postings: all }: ApiItem): string[] =>
  (Array.isArray(all) ? all : [])
    .filter(isObject)
    .map(
      ({ source, destination, amount, asset }) =>
        `${String(source)} -> ${String(destination)} ${moneyText(amount, asset)}`,
    );

const FIELDS: ShownFields = {
  Id: "id",
  Reference: "reference",
  Date: "timestamp",
  "Inserted at": "insertedAt",
  "Reverted at": "revertedAt",
  Posting: postings,
  Metadata: "metadata",
};

const DRY_RUN: Readonly<Record<"dry-run", Option>> = {
  "dry-run": { kind: "flag", meaning: "shows what would happen, and changes nothing" },
};

const dryRun = (call: Call) => ({ dryRun: call.flag("dry-run") ? "true" : undefined });

export const noun: Noun = {
  summary: "Transactions of a ledger",
  verbs: {
    list: list({
      summary: "Lists the transactions of a ledger, the last one first",
      parameters: ["ledger"],
      path: PATH,
      scope: "ledger:read",
      filters: byMatch({
        id: "integer",
        reference: "text",
        timestamp: "text",
        inserted_at: "text",
        reverted: "boolean",
        account: "text",
        source: "text",
        destination: "text",
        "metadata[]": "text",
      }),
      columns: {
        Id: "id",
        Date: "timestamp",
        Reference: "reference",
        Postings: (item) => postings(item).join(", "),
      },
      empty: "There are no such transactions.",
    }),
    show: show({
      summary: "Shows a transaction",
      parameters: ["ledger", "id"],
      path: `${PATH}/{id}`,
      scope: "ledger:read",
      fields: FIELDS,
    }),
    create: act({
      summary: 'Creates a transaction from postings such as "world -> users:1 100 USD/2"',
      parameters: ["ledger"],
      words: "posting",
      options: {
        script: fileOption("a file with Numscript, in place of postings"),
        var: { kind: "pairs", meaning: "a variable of the script" },
        reference: { kind: "text", meaning: "a name that no other transaction of the ledger has" },
        date: { kind: "text", meaning: "the date, such as 2026-01-31T12:00:00Z; now by default" },
        ...METADATA,
        ...DRY_RUN,
      },
      method: "POST",
      path: PATH,
      scope: "ledger:write",
      query: dryRun,
      body: (call) => ({
        ...movesOf(call),
        reference: call.text("reference"),
        timestamp: call.text("date"),
        ...metadataOf(call.pairs("metadata")),
      }),
      isIdempotent: true,
      says: FIELDS,
    }),
    revert: act({
      summary: "Reverts a transaction by another one that moves everything back",
      parameters: ["ledger", "id"],
      options: {
        force: { kind: "flag", meaning: "also where an account has too little then" },
        "at-effective-date": { kind: "flag", meaning: "with the date of the first transaction" },
        ...DRY_RUN,
      },
      method: "POST",
      path: `${PATH}/{id}/revert`,
      scope: "ledger:write",
      query: (call) => ({
        ...dryRun(call),
        force: call.flag("force") ? "true" : undefined,
        atEffectiveDate: call.flag("at-effective-date") ? "true" : undefined,
      }),
      isIdempotent: true,
      says: FIELDS,
    }),
    "set-metadata": act({
      summary: "Sets members of a transaction's metadata, such as order=42",
      parameters: ["ledger", "id"],
      words: "key=value",
      method: "POST",
      path: `${PATH}/{id}/metadata`,
      scope: "ledger:write",
      body: membersOf,
      isIdempotent: true,
      says: (call) => `The metadata of the transaction ${call.parameter("id")} is set.`,
    }),
  },
};

/** What the transaction moves: its postings, or a script with its variables. */
function movesOf(call: Call): object {
  const script = call.text("script");
  const texts = call.words();
  if ((script === undefined) === (texts.length === 0)) {
    throw new UsageError("A transaction has postings, or a --script: give one of them.");
  }
  if (script === undefined) {
    if (call.pairs("var").length > 0) throw new UsageError("--var belongs to a --script.");
    return { postings: texts.map(postingOf) };
  }
  return { script: { plain: readInput(script), vars: pairsOf("--var", call.pairs("var")) } };
}
