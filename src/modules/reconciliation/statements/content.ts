import { bucketKey, statementBucketOf } from "./bucket.ts";
import {
  type CollectedLines,
  type CollectQuery,
  PIECE_BYTES,
  sourceObjectOf,
  TO_SOURCE,
} from "./calls.ts";
import type { FileLine } from "./line.ts";
import { noStatement } from "./list.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { ServiceContext } from "#platform/context.ts";
import { callObject, reachObject } from "#platform/objects/call.ts";
import { type Page, pageOf, scanOf } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

type Where = Pick<ServiceContext, "env">;

/** A statement of a source. */
export interface StatementName {
  readonly sourceId: string;
  readonly id: string;
}

/** A page of the lines of a statement, in the order of the file; none while the file is being read. */
export async function listLines(
  { env }: Where,
  { sourceId, id }: StatementName,
  query: PageQuery,
): Promise<Page<FileLine>> {
  const { order, bound, limit } = scanOf(query);
  const call = sourceObjectOf(env, sourceId).fileLines({
    statementId: id,
    order,
    limit,
    ...(bound === undefined
      ? {}
      : { bound: { key: Number(bound.key.value), inclusive: bound.inclusive } }),
  });
  const lines = await reachObject<readonly FileLine[]>(call, TO_SOURCE);
  return pageOf(query, lines, { keyOf: ({ key }) => ({ value: BigInt(key) }) });
}

/**
 * The bytes of a statement's file as it was uploaded, in pieces. Throws `NOT_FOUND` for a file that was refused, whose bytes are not kept.
 */
export async function* fileBytes(
  { env }: Where,
  { sourceId, id }: StatementName,
): AsyncGenerator<Uint8Array, void, undefined> {
  const object = sourceObjectOf(env, sourceId);
  const place = await reachObject(object.place(id), TO_SOURCE);
  if (place === undefined) throw noStatement(id);
  if (place.isInBucket) {
    yield* bytesInBucket(env, { sourceId, id });
    return;
  }
  for (let piece = 0; piece < place.pieces; piece++) {
    const bytes = await reachObject(object.piece(id, piece), TO_SOURCE);
    if (bytes === undefined) {
      // It has moved between two pieces.
      yield* bytesInBucket(env, { sourceId, id }, piece * PIECE_BYTES);
      return;
    }
    yield bytes;
  }
}

async function* bytesInBucket(
  env: Env,
  { sourceId, id }: StatementName,
  offset = 0,
): AsyncGenerator<Uint8Array, void, undefined> {
  const found = await statementBucketOf(env)?.get(bucketKey(sourceId, id), { range: { offset } });
  if (found === undefined || found === null) throw noStatement(id);
  const reader = (found.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

/** The matchings that have got lines of a statement. */
export const collectorsOf = (
  { env }: Where,
  { sourceId, id }: StatementName,
): Promise<readonly string[]> =>
  reachObject<readonly string[]>(sourceObjectOf(env, sourceId).collectorsOf(id), TO_SOURCE);

/**
 * Deletes a statement with its lines and its file, so that the same content can be uploaded again. `without` are matchings that do not use
 * the source any more. Throws `STATEMENT_IN_USE` where another matching has got lines of it.
 */
export async function deleteFile(
  { env, principal, requestId }: Pick<ServiceContext, "env" | "principal" | "requestId">,
  { sourceId, id }: StatementName,
  without: readonly string[],
): Promise<void> {
  const removal = { sourceId, principal: toPrincipalColumn(principal), requestId };
  await callObject(sourceObjectOf(env, sourceId).remove(id, removal, without), TO_SOURCE);
}

/** Deletes everything that the object of a source has. */
export const clearSource = ({ env }: Where, sourceId: string): Promise<void> =>
  reachObject(sourceObjectOf(env, sourceId).clear(sourceId), TO_SOURCE);

/** Lines that follow a position, for a matching. */
export const collectLines = ({ env }: Where, sourceId: string, query: CollectQuery) =>
  reachObject<CollectedLines>(sourceObjectOf(env, sourceId).collect(query), TO_SOURCE);
