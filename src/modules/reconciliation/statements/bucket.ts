/** The bucket for the files of statements, where the Worker has one; see docs/deployment.md. */
export const BUCKET_BINDING = "FLORIN_STATEMENTS";

type Bucket = Pick<R2Bucket, "put" | "get" | "delete" | "list">;

/** The bucket that a deployment has bound; undefined for none. */
export function statementBucketOf(env: object): Bucket | undefined {
  const binding = (env as Readonly<Record<string, unknown>>)[BUCKET_BINDING];
  return typeof binding === "object" && binding !== null && "put" in binding && "list" in binding
    ? (binding as Bucket) // no other kind of binding has both
    : undefined;
}

export const bucketKey = (sourceId: string, statementId: string): string =>
  `statements/${sourceId}/${statementId}`;

/** Puts a file whose bytes come in pieces, without holding more than a piece. Putting it again overwrites it with the same bytes. */
export async function putFile(
  bucket: Bucket,
  key: string,
  { bytes, pieces }: { readonly bytes: number; readonly pieces: Iterable<Uint8Array> },
): Promise<void> {
  const { readable, writable } = new FixedLengthStream(bytes);
  await Promise.all([bucket.put(key, readable), pour(pieces, writable)]);
}

async function pour(
  pieces: Iterable<Uint8Array>,
  writable: WritableStream<Uint8Array>,
): Promise<void> {
  const writer = writable.getWriter();
  try {
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  } catch (error) {
    // Otherwise the bucket would wait for the rest.
    await writer.abort(error);
    throw error;
  }
}

/** Deletes all files of a source. */
export async function deleteFilesOf(bucket: Bucket, sourceId: string): Promise<void> {
  const prefix = bucketKey(sourceId, "");
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}
