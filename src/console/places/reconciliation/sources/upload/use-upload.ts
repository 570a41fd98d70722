import { useEffect, useRef, useState } from "react";
import type { WriteCall } from "#console/api/client.ts";
import { toWire } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { upload } from "#console/api/upload.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import {
  SOURCES_KEY,
  type Statement,
  type StatementSource,
} from "#console/places/reconciliation/queries/sources.ts";
import {
  asDocumented,
  type WireMapping,
} from "#console/places/reconciliation/sources/mapping/mapping-draft.ts";
import { parseJson } from "#platform/json.ts";

const PATH = "/api/florin/v1/reconciliation/sources/{sourceID}/statements";
/** Longest name of a file that the API keeps, in characters. */
const FILE_NAME_MAX = 255;

/** What is uploaded, and how the source reads it from then on. */
export interface UploadInput {
  /** Tells files apart, which have no text to compare. */
  readonly id: string;
  /** The mapping that the source gets before the upload; absent if it stays. */
  readonly mapping: WireMapping | undefined;
  readonly mayOverlap: boolean;
}

/** Uploads a file to a source, with the share that has been sent. The upload ends when the page is left. */
export function useUpload(source: StatementSource, file: File, onDone: (made: Statement) => void) {
  const [share, setShare] = useState(0);
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const send = async (input: UploadInput, call: WriteCall): Promise<Statement> => {
    if (input.mapping !== undefined) await changeMapping(source.id, input.mapping, call);
    const request = toWire("post", PATH, {
      path: { sourceID: source.id },
      query: {
        filename: file.name.slice(0, FILE_NAME_MAX),
        overlap: input.mayOverlap ? "allow" : undefined,
      },
    });
    setShare(0);
    const text = await upload(request, file, {
      idempotencyKey: call.idempotencyKey,
      signal: leaving.current?.signal ?? AbortSignal.abort(),
      onProgress: setShare,
    });
    return (parseJson(text) as { readonly data: Statement }).data; // The API document says so.
  };
  const write = useWrite(send, { refresh: [SOURCES_KEY], onDone });
  return { write, share };
}

/** Sets how the source reads CSV files. Setting it again does nothing more. */
async function changeMapping(
  sourceID: string,
  mapping: WireMapping,
  call: WriteCall,
): Promise<void> {
  await florin.patch(
    "/api/florin/v1/reconciliation/sources/{sourceID}",
    { path: { sourceID }, body: { format: "csv", mapping: asDocumented(mapping) } },
    call.withKey(undefined),
  );
}
