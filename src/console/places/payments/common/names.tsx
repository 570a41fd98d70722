import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { referenceIn } from "./ids.ts";
import { connectorNamesQuery } from "./queries.ts";
import { session } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { nameOf, usePerson } from "#console/parts/principals/people.ts";
import { AuditedLink } from "#console/parts/routing/audited-link.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

const LINK = "rounded-sm text-accent hover:underline";

/** An account of a provider by the provider's name of it. */
export const AccountName = ({ id }: { readonly id: string | undefined }) =>
  id === undefined ? (
    <span className="text-faint">{paymentWords().unknownAccount}</span>
  ) : (
    <span className="font-mono text-note">
      <Foreign>{referenceIn(id)}</Foreign>
    </span>
  );

/** The name of an account, which leads to the account. */
export const AccountLink = ({ id }: { readonly id: string | undefined }) =>
  id === undefined ? (
    <AccountName id={id} />
  ) : (
    <Link to="/payments/accounts/$id" params={{ id }} className={LINK}>
      <AccountName id={id} />
    </Link>
  );

/** The name of a connector; its kind until the name is known. */
export function ConnectorName({ id, kind }: { readonly id: string; readonly kind?: string }) {
  const { data } = useQuery(connectorNamesQuery());
  const name = data?.find(({ connectorID }) => connectorID === id)?.name ?? kind ?? "";
  return <Foreign>{name}</Foreign>;
}

export const ConnectorLink = ({ id, kind }: { readonly id: string; readonly kind?: string }) => (
  <Link to="/payments/connectors/$id" params={{ id }} className={LINK}>
    <ConnectorName id={id} {...(kind === undefined ? {} : { kind })} />
  </Link>
);

/** The way to the connectors, from where the first payments and accounts come. */
export const ConnectorsLink = () => (
  <Link to="/payments/connectors" className={LINK}>
    {paymentWords().tabs.connectors}
  </Link>
);

/** Whether a principal of the API is the person who looks. */
export function isMe(subject: string): boolean {
  const { state } = session;
  return state.kind === "person" && state.grant.subject === subject;
}

/** A principal: the one who looks, a person by name, or whoever it is by the subject of its tokens. */
export function Who({ subject }: { readonly subject: string }) {
  const person = usePerson(subject);
  if (isMe(subject)) return paymentWords().you;
  return <Foreign>{person === undefined ? subject : nameOf(person)}</Foreign>;
}

/** A principal, which leads to the page of a person who is known. */
export function WhoLink({ subject }: { readonly subject: string }) {
  const person = usePerson(subject);
  const who = <Who subject={subject} />;
  return person === undefined ? (
    who
  ) : (
    <AuditedLink object={`users/${person.id}`}>{who}</AuditedLink>
  );
}
