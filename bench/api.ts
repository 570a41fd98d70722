/** Sends requests of the bench outside of the load, one at a time. */
export class BenchApi {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.url = url;
    this.headers = headers;
  }

  /**
   * Sends a request and returns the JSON of its answer. Throws for a refusal. Plain `JSON.parse` suffices, because no amount is above 2^53.
   */
  async send(method: string, path: string, body?: string): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...this.headers, "content-type": "application/json" },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  async createLedger(name: string): Promise<void> {
    await this.send("POST", `/api/ledger/v2/${name}`);
  }
}
