import { BASE_URL, send } from "#test/support/platform/api.ts";
import type { Send } from "#test/support/platform/isolate.ts";

/** A browser, as far as our pages need one: it keeps cookies, sends forms, and follows no redirect by itself. */
export class PageVisitor {
  readonly cookies = new Map<string, string>();
  readonly #fetch: Send;

  /** `fetch` is another isolate, if it is not the Worker itself. */
  constructor(fetch: Send = send) {
    this.#fetch = fetch;
  }

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(url, { headers });
  }

  /** Sends a form as the browser does from one of our own pages. */
  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = OWN,
  ): Promise<Response> {
    return this.#send(url, { method: "POST", body: new URLSearchParams(fields), headers });
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const { pathname, search } = new URL(url, BASE_URL);
    const headers = new Headers(init.headers);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "") headers.set("cookie", cookie);
    const response = await this.#fetch(pathname + search, { ...init, headers, redirect: "manual" });
    for (const text of response.headers.getSetCookie()) this.#keep(text);
    return response;
  }

  #keep(text: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    if (/max-age=0/i.test(text)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

const OWN = { origin: BASE_URL, "sec-fetch-site": "same-origin" };

/** The value of a hidden field of a page. */
export function hiddenField(page: string, name: string): string {
  const [, value] = new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page) ?? [];
  if (value === undefined) throw new Error(`the page has no field ${name}: ${page}`);
  return value;
}
