import { type Client, ledgersOf, withLedgers } from "./queries.ts";
import { type Rights, rightsOf, scopesOf } from "#console/places/access/scopes/scopes.ts";

/** What a client is: a program that acts for itself, or an application in which people sign in, with or without a secret. */
export type Kind = "program" | "server" | "browser";
export const KINDS: readonly Kind[] = ["program", "server", "browser"];

/** The fields of a client, as its form has them. */
export interface ClientDraft {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly rights: Rights;
  readonly ledgers: string;
  /** A URI a line. */
  readonly redirectUris: string;
  readonly postLogoutRedirectUris: string;
}

export const EMPTY_CLIENT: ClientDraft = {
  kind: "program",
  id: "",
  name: "",
  description: "",
  rights: rightsOf([]),
  ledgers: "",
  redirectUris: "",
  postLogoutRedirectUris: "",
};

export function kindOf({ public: isPublic, redirectUris }: Client): Kind {
  if (isPublic) return "browser";
  return redirectUris.length > 0 ? "server" : "program";
}

export const draftOf = (client: Client): ClientDraft => ({
  kind: kindOf(client),
  id: client.id,
  name: client.name,
  description: client.description,
  rights: rightsOf(client.scopes),
  ledgers: ledgersOf(client),
  redirectUris: client.redirectUris.join("\n"),
  postLogoutRedirectUris: client.postLogoutRedirectUris.join("\n"),
});

/** The body of a client. What the form does not show stays as the client has it. */
export function bodyOf(draft: ClientDraft, before?: Client) {
  const { kind, name, description, rights, ledgers, redirectUris, postLogoutRedirectUris } = draft;
  const isApplication = kind !== "program";
  return {
    public: kind === "browser",
    name,
    description,
    scopes: scopesOf(rights, before?.scopes),
    metadata: withLedgers(before?.metadata ?? {}, ledgers),
    trusted: before?.trusted ?? false,
    redirectUris: isApplication ? linesOf(redirectUris) : [],
    postLogoutRedirectUris: isApplication ? linesOf(postLogoutRedirectUris) : [],
  };
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
