/** Types of files that gzip makes several times smaller. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json)|image\/svg\+xml)/;

/** Files below this size, in bytes, are sent as they are. */
const BYTES_MIN = 1024;

/**
 * The answer with a file, compressed by gzip (RFC 1952) if the client accepts that. Cloudflare compresses the files that it serves without the
 * Worker; this is for a Worker that serves them itself. The tag of a compressed file is a weak one, because its bytes are others.
 */
export function compressed(request: Request, file: Response): Response {
  const { headers, body } = file;
  if (!COMPRESSIBLE.test(headers.get("content-type") ?? "")) return file;
  headers.append("vary", "accept-encoding");
  const isSmall = Number(headers.get("content-length") ?? Infinity) < BYTES_MIN;
  if (body === null || isSmall || !acceptsGzip(request)) return file;
  headers.delete("content-length");
  headers.set("content-encoding", "gzip");
  const tag = headers.get("etag");
  if (tag !== null && !tag.startsWith("W/")) headers.set("etag", `W/${tag}`);
  return new Response(body.pipeThrough(new CompressionStream("gzip")), {
    headers,
    encodeBody: "manual",
  });
}

/** Whether `Accept-Encoding` (RFC 9110, 12.5.3) names gzip without the weight 0. */
function acceptsGzip(request: Request): boolean {
  const codings = (request.headers.get("accept-encoding") ?? "").split(",");
  return codings.some((coding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i.test(coding));
}
