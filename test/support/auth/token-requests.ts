import { send } from "#test/support/platform/api.ts";

/** The body of an answer of the token endpoint. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly expires_in: number;
  readonly scope?: string;
  readonly error?: string;
  readonly error_description?: string;
}

export type Form = Readonly<Record<string, string>>;

/** Posts a form to a path of the OAuth server, such as `/oauth/token`. */
export const post = (path: string, form: Form, headers: Form = {}): Promise<Response> =>
  send(`/api/auth${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({ ...form }).toString(),
  });

/** The answer of the token endpoint, with its status. */
export async function ask(form: Form): Promise<TokenAnswer & { readonly status: number }> {
  const response = await post("/oauth/token", form);
  return { status: response.status, ...(await response.json<TokenAnswer>()) };
}

export const basic = (id: string, secret: string): { authorization: string } => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
});
