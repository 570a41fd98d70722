import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import { layout, type Markup } from "./layout.ts";
import { PageError } from "./page-error.ts";
import { type PageAnswer, type PageRequest, registerPage } from "./register.ts";
import {
  acceptInvitation,
  findInvitation,
  type Invitation,
} from "#modules/auth/administration/invitations.ts";
import { resetPassword } from "#modules/auth/passwords/password-resets.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "#modules/auth/people/passwords.ts";
import { EMAIL_LENGTH_MAX, PERSON_NAME_LENGTH_MAX } from "#modules/auth/people/store.ts";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";

const PATH = "/invitation";

/** The link with which a person accepts an invitation or sets a new password. `token` is that of `NewInvitation`, and needs no encoding. */
export const invitationUrl = (issuer: string, token: string): string =>
  `${issuer}${PATH}?token=${token}`;

/**
 * Registers the page on which a person accepts an invitation, or sets a new password by a link. Each link works once; a refused form leaves
 * it usable.
 */
export function registerInvitation(app: OpenAPIHono<AppEnv>): void {
  registerPage(app, { method: "GET", path: PATH }, async ({ context, issuer, params }) => {
    const token = params.get("token") ?? "";
    const invitation = await findInvitation(context, token);
    if (invitation === undefined) throw new PageError(404, GONE);
    return { kind: "page", page: formPage({ token, issuer, invitation, values: params }) };
  });
  registerPage(app, { method: "POST", path: PATH }, accept);
}

const GONE = "The invitation has been used or has expired. Ask for another one.";

async function accept({ context, issuer, params }: PageRequest): Promise<PageAnswer> {
  const token = params.get("token") ?? "";
  const invitation = await findInvitation(context, token);
  if (invitation === undefined) throw new PageError(404, GONE);
  const email = invitation.email === "" ? (params.get("email") ?? "").trim() : invitation.email;
  const name = (params.get("name") ?? "").trim();
  const password = params.get("password") ?? "";
  const isReset = invitation.personId !== undefined;
  const problem = isReset ? passwordProblem(password) : problemOf({ email, name, password });
  const again = (text: string, status: number): PageAnswer => ({
    kind: "page",
    status,
    page: formPage({ token, issuer, invitation, values: params, problem: text }),
  });
  if (problem !== undefined) return again(problem, 400);
  try {
    if (isReset) await resetPassword(context, { token, password });
    else await acceptInvitation(context, { token, email, name, password });
  } catch (error) {
    if (error instanceof AppError && error.kind === "CONFLICT")
      return again(`${capitalized(error.message)}.`, 409);
    throw error;
  }
  const body = html`<p>
    You can log in as <strong>${email}</strong> now, with the password that you chose, in every
    application of this server.
  </p>`;
  return {
    kind: "page",
    page: layout({ title: isReset ? "Your password is set" : "Welcome", body }),
  };
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const EMAIL = /^[^\s@]+@[^\s@]+$/;

function problemOf({
  email,
  name,
  password,
}: Record<"email" | "name" | "password", string>): string | undefined {
  if (!EMAIL.test(email) || email.length > EMAIL_LENGTH_MAX)
    return "This is not an e-mail address.";
  if (name.length > PERSON_NAME_LENGTH_MAX)
    return `The name is longer than ${PERSON_NAME_LENGTH_MAX} characters.`;
  return passwordProblem(password);
}

/** Why a text may not be chosen as a password, as a sentence; undefined if it may. Only its length counts, in UTF-16 units. */
export function passwordProblem({ length }: string): string | undefined {
  if (length < PASSWORD_LENGTH_MIN)
    return `The password needs at least ${PASSWORD_LENGTH_MIN} characters.`;
  if (length > PASSWORD_LENGTH_MAX)
    return `The password is longer than ${PASSWORD_LENGTH_MAX} characters.`;
  return undefined;
}

interface Form {
  readonly token: string;
  readonly issuer: string;
  readonly invitation: Invitation;
  readonly values: URLSearchParams;
  readonly problem?: string;
}

function formPage({ token, issuer, invitation, values, problem }: Form): Markup {
  const isReset = invitation.personId !== undefined;
  const isOpen = invitation.email === "";
  const email = isOpen ? (values.get("email") ?? "") : invitation.email;
  return layout({
    title: isReset ? "Choose a new password" : "Choose a password",
    body: html` <p>With it you log in to the applications of this server.</p>
      ${problem === undefined ? "" : html`<p role="alert">${problem}</p>`}
      <form method="post" action="${issuer}${PATH}">
        <input type="hidden" name="token" value="${token}" />
        <label for="email">E-mail address</label>
        <input
          id="email"
          name="email"
          type="email"
          value="${email}"
          maxlength="${EMAIL_LENGTH_MAX}"
          autocomplete="username"
          required
          ${isOpen ? "autofocus" : "readonly"}
        />
        ${isReset ? "" : nameField(values.get("name") ?? "")}
        <label for="password"
          >Password <small>(${PASSWORD_LENGTH_MIN} characters or more)</small></label
        >
        <input
          id="password"
          name="password"
          type="password"
          minlength="${PASSWORD_LENGTH_MIN}"
          maxlength="${PASSWORD_LENGTH_MAX}"
          autocomplete="new-password"
          required
        />
        <button>${isReset ? "Set the password" : "Accept the invitation"}</button>
      </form>`,
  });
}

const nameField = (name: string): Markup =>
  html`<label for="name">Name <small>(if you like)</small></label>
    <input
      id="name"
      name="name"
      value="${name}"
      maxlength="${PERSON_NAME_LENGTH_MAX}"
      autocomplete="name"
    />`;
