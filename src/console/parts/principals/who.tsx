import { nameOf, type Person, usePerson } from "./people.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { AuditedLink } from "#console/parts/routing/audited-link.tsx";

/** The client and issuer of what the deployment does by itself. */
const DEPLOYMENT = "florin";
/** The subject of requests where nobody has to sign in. */
const ANYBODY = "administrator";
/** The client of this console. */
const CONSOLE = "florin-console";

export interface Principal {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
}

/** Who has done something: a person with the application, a client, or the deployment by itself. */
export function Who({
  principal,
  isLink = false,
}: {
  readonly principal: Principal;
  /** Whether the name leads to the page of the person or of the client, for who may open it. */
  readonly isLink?: boolean;
}) {
  const words = partWords().who;
  const { issuer, subject, clientId } = principal;
  const person = usePerson(subject);
  if (issuer === DEPLOYMENT) return subject === ANYBODY ? words.anybody : words.deployment;
  if (subject === "" && clientId === "") return words.nobody;
  const name = person === undefined ? subject : nameOf(person);
  const shown = <Foreign>{name}</Foreign>;
  const object = objectOf(principal, person);
  return (
    <span title={subject}>
      {isLink && object !== undefined ? <AuditedLink object={object}>{shown}</AuditedLink> : shown}
      {clientId !== "" && clientId !== subject && (
        <span className="text-muted">
          {" · "}
          {clientId === CONSOLE ? words.console : <Foreign>{clientId}</Foreign>}
        </span>
      )}
    </span>
  );
}

/** A principal as the audit names it; undefined for one that is neither a client nor a known person. */
function objectOf(
  { subject, clientId }: Principal,
  person: Person | undefined,
): string | undefined {
  if (person !== undefined) return `users/${person.id}`;
  return subject === clientId ? `clients/${clientId}` : undefined;
}
