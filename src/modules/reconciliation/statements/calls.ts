import type { FileLine } from "./line.ts";
import type { ReadingOptions } from "./reading.ts";
import { objectAt } from "#platform/objects/address.ts";
import type { ObjectCall } from "#platform/objects/call.ts";

/** Bytes of a piece in which files travel to and from the object of their source. */
export const PIECE_BYTES = 512 * 1024;

/** Which lines of one file a page has. */
export interface FileLinesQuery {
  readonly statementId: string;
  readonly order: "asc" | "desc";
  /** The key at which the page begins, and whether that line belongs to it; absent for a first page. */
  readonly bound?: { readonly key: number; readonly inclusive: boolean };
  readonly limit: number;
}

/** Lines that a matching collects: those that follow a key, in the order of keys. */
export interface CollectQuery {
  readonly after: number;
  readonly limit: number;
  readonly collector: string;
}

export interface CollectedLines {
  readonly lines: readonly FileLine[];
  readonly position: number;
  readonly isLast: boolean;
}

/** A file's bytes: in the object in pieces, or in the bucket. */
export interface FilePlace {
  readonly bytes: number;
  readonly pieces: number;
  readonly isInBucket: boolean;
}

/** What a source is for its object. */
export interface SourceFacts {
  readonly id: string;
  readonly reading: ReadingOptions;
}

/** The object of a source of the kind `statement`. */
export const sourceObjectOf = (env: Pick<Env, "STATEMENT_SOURCES">, sourceId: string) =>
  objectAt(env, env.STATEMENT_SOURCES, sourceId);

/** A repeated upload of the same file is answered by `STATEMENT_EXISTS`, and a repeated deletion changes nothing. */
export const TO_SOURCE: ObjectCall = {
  object: "source of statements",
  isRepeatable: true,
  timeoutMs: 60_000,
};
