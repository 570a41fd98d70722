import type { Send } from "#test/support/runner/isolate.ts";

/** The address of a site, and the function that answers its requests. */
export interface Site {
  readonly origin: string;
  readonly fetch: Send;
}

/** A browser as Florin's pages need it: it keeps cookies and sends forms, and follows no redirect by itself. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(url, { headers });
  }

  /** Sends a form as the browser does from a page of the site. */
  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {
      origin: this.#site.origin,
      "sec-fetch-site": "same-origin",
    },
  ): Promise<Response> {
    return this.#send(url, { method: "POST", body: new URLSearchParams(fields), headers });
  }

  /** Sends JSON as a script of the site does. */
  postJson(
    url: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {
      origin: this.#site.origin,
      "sec-fetch-site": "same-origin",
    },
  ): Promise<Response> {
    const init = { method: "POST", body: JSON.stringify(body) };
    return this.#send(url, {
      ...init,
      headers: { "content-type": "application/json", ...headers },
    });
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const { pathname, search } = new URL(url, this.#site.origin);
    const headers = new Headers(init.headers);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "") headers.set("cookie", cookie);
    const request = { ...init, headers, redirect: "manual" } as const;
    const response = await this.#site.fetch(pathname + search, request);
    for (const text of response.headers.getSetCookie()) this.#keep(text);
    return response;
  }

  #keep(text: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    if (/max-age=0/i.test(text)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The value of a hidden field of a page. */
export function hiddenField(page: string, name: string): string {
  const [, value] = new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page) ?? [];
  if (value === undefined) throw new Error(`the page has no field ${name}: ${page}`);
  return value;
}

export function locationOf(response: Response): string {
  const location = response.headers.get("location");
  if (location === null) throw new Error(`no redirect, but ${response.status}`);
  return location;
}

/** Opens the login page of an authorization request; returns the hidden fields of its form. */
export async function openLogin(visitor: Visitor, url: string): Promise<{ request: string }> {
  const sent = await visitor.get(url);
  const page = await visitor.get(locationOf(sent));
  return { request: hiddenField(await page.text(), "request") };
}

/** Submits e-mail address and password on the login page of a request; returns the URL where the browser ends up. */
export async function logIn(
  visitor: Visitor,
  url: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<URL> {
  const form = await openLogin(visitor, url);
  const answer = await visitor.post("/api/auth/login", { ...form, email, password });
  return new URL(locationOf(await visitor.get(await nextOf(answer))));
}

/** The URL to which a page leads on by itself. */
export async function nextOf(page: Response): Promise<string> {
  const [, next] = /content="0; url=([^"]+)"/.exec(await page.text()) ?? [];
  if (next === undefined) throw new Error(`the page leads nowhere: ${page.status}`);
  return next.replaceAll("&amp;", "&");
}
