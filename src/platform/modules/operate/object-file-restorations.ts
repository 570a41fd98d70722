import { z } from "@hono/zod-openapi";
import { ObjectQuery, presentObject } from "./object-restorations.ts";
import type { CopiedClass } from "#platform/backup/copied-class.ts";
import { restoreStep } from "#platform/backup/restored-class.ts";
import { AppError } from "#platform/errors.ts";
import {
  Chunks,
  Count,
  ok,
  type Registration,
  registration,
  restorationOperations,
  RESTORING,
  writtenRestorationOf,
} from "#platform/http/index.ts";

/** Most bytes of a piece. */
const PIECE_BYTES_MAX = 1_048_576;

const FileId = z.string().max(100).openapi({ description: "The id of the file" });

const ProgressResponse = z
  .object({
    state: z.enum(["open", "complete", "left-out"]).openapi({
      description:
        "`open`: pieces are to come; `complete`: all bytes are there, and have the SHA-256; `left-out`: the object keeps no such file",
    }),
    pieces: Count.openapi({ description: "How many pieces are there" }),
    pieceBytes: Count.openapi({ description: "The length of each piece but the last one" }),
  })
  .openapi("FileRestoration");

const restoring = restorationOperations("/api/florin/v1");

/** The operations by which the files come back that objects keep beside their tables: behind the rows of the object, and before its end. */
export const objectFileRestorationRoutes = (classes: readonly CopiedClass[]): Registration =>
  registration(
    restoring.post("/objects/files", {
      ...RESTORING,
      operationId: "florinBeginFileRestoration",
      summary: "Begin to restore a file of an object",
      description:
        "Behind the rows of the object, which say what the file is. A repetition says how far the file has come.",
      query: ObjectQuery,
      body: z.object({
        file: FileId,
        bytes: Count,
        sha256: z.string().regex(/^[\da-f]{64}$/, "expected 64 hexadecimal digits"),
      }),
      answer: ok.data("How far the file has come", ProgressResponse),
      handle: async (request) => {
        const { query, body, context } = request;
        const { reference: restoration } = await writtenRestorationOf(request);
        const object = await presentObject(context, classes, query);
        return restoreStep<"file">(object, { kind: "file", restoration, ...body });
      },
    }),
    restoring.post("/objects/files/pieces", {
      ...RESTORING,
      errors: [404, 409, 413],
      operationId: "florinRestoreFilePiece",
      summary: "Restore a piece of a file of an object",
      description:
        "The pieces come one after the other. A piece that has come already is left as it is, so that a request may be repeated. When the last one has come, the bytes are compared with the SHA-256 of the file; where they are others, the file has no pieces again.",
      query: ObjectQuery.extend({
        file: FileId,
        place: z.coerce.number().int().min(0).openapi({
          description: "The number of pieces that come before",
        }),
      }),
      body: Chunks,
      bodyKind: "chunks",
      answer: ok.empty("The piece is there"),
      handle: async (request) => {
        const { query, body, context } = request;
        const { file, place, ...name } = query;
        const { reference: restoration } = await writtenRestorationOf(request);
        const object = await presentObject(context, classes, name);
        const bytes = await bytesOf(body);
        await restoreStep<"piece">(object, { kind: "piece", restoration, file, place, bytes });
      },
    }),
  );

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.byteLength;
    if (length > PIECE_BYTES_MAX) {
      throw new AppError("BODY_TOO_LARGE", `the piece is larger than ${PIECE_BYTES_MAX} bytes`);
    }
    all.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of all) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
