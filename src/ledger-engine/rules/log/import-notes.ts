import type { ImportedData } from "./imported-log.ts";
import { isAddress, shown } from "#ledger-engine/rules/names.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";

/** Notes about an unusual imported entry: the reference server accepts its names and values in writes, and this ledger does not. */
export interface ImportNote {
  readonly id: number;
  /** A sentence for each unusual name or value. */
  readonly notes: readonly string[];
}

/** The number of entries of an import with notes, and the notes of the first ones, up to `FIRST_NOTED_MAX`. */
export interface NotedEntries {
  readonly count: number;
  readonly first: readonly ImportNote[];
}

/** The most entries whose notes an answer shows. */
export const FIRST_NOTED_MAX = 5;

/** Joins the noted entries of two parts of an import. */
export const withNoted = (before: NotedEntries, after: NotedEntries): NotedEntries => ({
  count: before.count + after.count,
  first: [...before.first, ...after.first].slice(0, FIRST_NOTED_MAX),
});

export const NONE_NOTED: NotedEntries = { count: 0, first: [] };

/** The most sentences about one entry, which may have thousands of accounts. */
const NOTES_MAX = 20;

/** The notes about an entry; nearly all entries have none. `sizes` are sentences about values beyond the limits of writes. */
export function notesOf(data: ImportedData, sizes: readonly string[]): string[] {
  const notes = [...new Set([...sizes, ...formNotesOf(data)])];
  const more = notes.length - NOTES_MAX;
  return more > 0
    ? [...notes.slice(0, NOTES_MAX), `${more} more of the entry's names and values are odd`]
    : notes;
}

/** The notes about the form of an entry's names and values, apart from their sizes. */
function formNotesOf(data: ImportedData): string[] {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return Object.entries(data.accountMetadata).flatMap(accountNotes);
    case "SET_METADATA":
      return data.target.type === "ACCOUNT" ? accountNotes([data.target.id, data.metadata]) : [];
    case "DELETE_METADATA":
      return data.target.type === "ACCOUNT" ? addressNote(data.target.id) : [];
    case "REVERTED_TRANSACTION":
      return [];
    case "INSERTED_SCHEMA":
      return data.schema.hashed === undefined ? [] : [HASHED_NOTES[data.schema.hashed]];
  }
}

const HASHED_NOTES = {
  reordered:
    "the hash covers the parameters of the schema's queries in another order than that of the entry",
  unknown:
    "the hash of the entry was taken as it was given, because the parameters of the schema's queries have too many orders to find the one that the hash covers",
} as const;

const accountNotes = ([address, metadata]: [string, Metadata | null]): string[] => [
  ...addressNote(address),
  ...(metadata === null
    ? [`the metadata of the account '${shown(address)}' is null, which stands for no metadata`]
    : []),
];

const addressNote = (address: string): string[] =>
  isAddress(address)
    ? []
    : [`the address '${shown(address)}' is not one that a write of this server may name`];
