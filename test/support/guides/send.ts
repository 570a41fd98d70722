import { request } from "node:http";

export interface PlainRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends a request as it is. `fetch` refuses a body with GET, in which some SDKs send the filter of a list. */
export function send(url: string, { method, headers, body }: PlainRequest): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(body);
    const sent = request(
      url,
      { method, headers: { ...headers, ...(length === 0 ? {} : { "content-length": length }) } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const type = response.headers["content-type"];
          resolve({
            status: response.statusCode ?? 0,
            headers: type === undefined ? {} : { "content-type": type },
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
