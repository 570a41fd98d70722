import type { WireRequest } from "./client.ts";
import { ApiError, REQUEST_ID_HEADER } from "./errors.ts";
import { session } from "./florin.ts";

interface UploadOptions {
  /** Makes the upload happen only once. */
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the share of the file that has been sent, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Sends a file as the body of a request, with the token, once more with a new one if the token is refused. The answer's text. Throws `ApiError`.
 * `XMLHttpRequest` tells how much has been sent, which `fetch` does not.
 */
export async function upload(
  request: Pick<WireRequest, "method" | "url">,
  file: Blob,
  options: UploadOptions,
): Promise<string> {
  const token = await session.token();
  const response = await send(request, { file, token, options });
  const renewed =
    response.status === 401 && token !== undefined ? await session.renew(token) : undefined;
  const last =
    renewed === undefined ? response : await send(request, { file, token: renewed, options });
  if (!last.ok) throw await ApiError.from(last);
  return last.text();
}

function send(
  { method, url }: Pick<WireRequest, "method" | "url">,
  {
    file,
    token,
    options: { idempotencyKey, signal, onProgress },
  }: { readonly file: Blob; readonly token: string | undefined; readonly options: UploadOptions },
): Promise<Response> {
  const call = new XMLHttpRequest();
  call.open(method, url);
  call.setRequestHeader("accept", "application/json");
  call.setRequestHeader("content-type", "application/octet-stream");
  if (token !== undefined) call.setRequestHeader("authorization", `Bearer ${token}`);
  if (idempotencyKey !== undefined) call.setRequestHeader("idempotency-key", idempotencyKey);
  return new Promise((resolve, reject) => {
    const abort = (): void => call.abort();
    signal.addEventListener("abort", abort, { once: true });
    call.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / total));
    call.addEventListener("load", () => resolve(responseOf(call)));
    call.addEventListener("error", () => reject(ApiError.unreachable(undefined)));
    call.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    call.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    call.send(file);
  });
}

function responseOf(call: XMLHttpRequest): Response {
  const requestId = call.getResponseHeader(REQUEST_ID_HEADER);
  return new Response(call.responseText, {
    status: call.status,
    headers: requestId === null ? {} : { [REQUEST_ID_HEADER]: requestId },
  });
}
