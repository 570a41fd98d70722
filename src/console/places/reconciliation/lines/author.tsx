import { session } from "#console/api/florin.ts";
import { Who } from "#console/parts/principals/who.tsx";
import type { Author } from "#console/places/reconciliation/queries/matchings.ts";

/** Whether somebody who acted is the person who looks. */
export function isMe({ subject }: Pick<Author, "subject">): boolean {
  const { state } = session;
  return state.kind === "person" && state.grant.subject === subject;
}

/** Who has decided or asked for something. */
export const By = ({ author: { subject, clientID } }: { readonly author: Author }) => (
  <Who principal={{ issuer: "", subject, clientId: clientID }} />
);
