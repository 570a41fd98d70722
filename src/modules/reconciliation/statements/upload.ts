import { createHash } from "node:crypto";
import { PIECE_BYTES, type SourceFacts, sourceObjectOf, TO_SOURCE } from "./calls.ts";
import { getStatement } from "./list.ts";
import type { Ending } from "./work.ts";
import { FILE_BYTES_MAX } from "#modules/reconciliation/core/statements/index.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { callObject, reachObject } from "#platform/objects/call.ts";
import { ownDeadline } from "#platform/work/deadline.ts";

/** The longest time in which nothing of a body may arrive, and the longest time of all of it, in milliseconds. */
export const SILENCE_MS_MAX = 30_000;
const UPLOAD_MS_MAX = 10 * 60_000;

export interface Upload {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly fileName: string | undefined;
  /** Whether the periods of the file may overlap those of statements that the source has. */
  readonly mayOverlap: boolean;
  /** The length that the request declares; undefined for none. */
  readonly declaredBytes: number | undefined;
}

/**
 * Uploads a file to a source, which reads it. Returns the id of its statement, and whether it is ready: a long file is still being read. The
 * bytes pass in pieces, of which one is held. A body that breaks off leaves nothing behind. Throws `STATEMENT_REFUSED` with the place in
 * the file in the details, `STATEMENT_EXISTS`, `BODY_TOO_LARGE`, `VALIDATION` for a body that breaks off or falls silent, `NOT_FOUND` for a
 * source that is deleted meanwhile, and `STORAGE_FULL`.
 */
export async function uploadFile(
  context: ServiceContext,
  source: SourceFacts,
  { chunks, fileName, mayOverlap, declaredBytes }: Upload,
): Promise<{ readonly id: string; readonly isReady: boolean }> {
  if (declaredBytes !== undefined && declaredBytes > FILE_BYTES_MAX) throw tooLarge();
  const id = newId();
  const object = sourceObjectOf(context.env, source.id);
  let ending: Ending | undefined;
  try {
    const { sha256, bytes } = await sendPieces(chunks, (place, piece) =>
      callObject(object.receive(id, place, piece), TO_SOURCE),
    );
    if (declaredBytes !== undefined && bytes !== declaredBytes) {
      throw new AppError("VALIDATION", "the body broke off");
    }
    const spec = {
      sourceId: source.id,
      reading: source.reading,
      fileName,
      sha256,
      mayOverlap,
      principal: toPrincipalColumn(context.principal),
      requestId: context.requestId,
    };
    ending = await completed(context, () => callObject(object.complete(id, spec), TO_SOURCE), {
      id,
      sourceId: source.id,
    });
  } catch (error) {
    // What cannot be told now is swept.
    await reachObject(object.abandon(id), TO_SOURCE).catch(() => undefined);
    throw error;
  }
  return { id, isReady: isReady(ending, id) };
}

/**
 * The end of a file that has arrived; undefined while it is being read. The call may be lost, or take too long on a busy machine: the object
 * goes on by itself, and D1 says how far it is.
 */
async function completed(
  context: ServiceContext,
  call: () => Promise<Ending | undefined>,
  name: { readonly id: string; readonly sourceId: string },
): Promise<Ending | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "OVERLOADED") throw error;
    const found = await getStatement(context, name).catch(() => undefined);
    if (found === undefined) throw error;
    const { state, refusal } = found.statement;
    if (refusal !== undefined) return { is: "refused", refusal };
    return state === "ready" ? { is: "ready" } : undefined;
  }
}

/** Whether a file is ready that has this end. Throws the failure of a file that has another one. */
function isReady(ending: Ending | undefined, id: string): boolean {
  if (ending === undefined) return false;
  if (ending.is === "ready") return true;
  if (ending.is === "gone") {
    throw new AppError("NOT_FOUND", "the source or the statement was deleted meanwhile");
  }
  if (ending.is === "exists") {
    throw new AppError("STATEMENT_EXISTS", `the source has this file already: ${ending.id}`, {
      details: stringifyJson({ statementID: ending.id }),
    });
  }
  const { message, ...place } = ending.refusal;
  throw new AppError(place.kind === "EXISTS" ? "STATEMENT_EXISTS" : "STATEMENT_REFUSED", message, {
    details: stringifyJson({ statementID: id, ...place }),
  });
}

/** Sends a body in pieces of `PIECE_BYTES`. Returns its length, and its SHA-256 in hexadecimal digits. */
async function sendPieces(
  chunks: AsyncIterable<Uint8Array>,
  send: (place: number, piece: Uint8Array) => Promise<unknown>,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const hash = createHash("sha256");
  let piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  let place = 0;
  for await (const chunk of withoutSilence(chunks)) {
    hash.update(chunk);
    for (let at = 0; at < chunk.byteLength;) {
      const part = chunk.subarray(at, at + PIECE_BYTES - filled);
      piece.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < PIECE_BYTES) continue;
      await send(place++, piece);
      piece = new Uint8Array(PIECE_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) await send(place, piece.slice(0, filled));
  return { sha256: hash.digest("hex"), bytes: place * PIECE_BYTES + filled };
}

/** The chunks of a body. Throws `VALIDATION` if nothing arrives for too long, or all of it takes too long. */
async function* withoutSilence(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const endMs = Date.now() + UPLOAD_MS_MAX;
  let isOver = false;
  try {
    for (;;) {
      const next = await nextWithin(iterator, Math.min(SILENCE_MS_MAX, endMs - Date.now()));
      isOver = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // A body that is silent ends when its client goes, and nobody waits for that.
    if (!isOver) void iterator.return?.().catch(() => undefined);
  }
}

async function nextWithin<T>(
  iterator: AsyncIterator<T>,
  withinMs: number,
): Promise<IteratorResult<T>> {
  const { promise, reject } = Promise.withResolvers<never>();
  const deadline = ownDeadline(Math.max(0, withinMs), () => reject(silent()));
  try {
    return await Promise.race([iterator.next(), promise]);
  } finally {
    deadline.end();
  }
}

const silent = (): AppError =>
  new AppError(
    "VALIDATION",
    `the body has sent nothing for ${SILENCE_MS_MAX / 1000} seconds, or takes more than ${UPLOAD_MS_MAX / 60_000} minutes`,
  );

const tooLarge = (): AppError =>
  new AppError("BODY_TOO_LARGE", `the file is larger than ${FILE_BYTES_MAX} bytes`);
