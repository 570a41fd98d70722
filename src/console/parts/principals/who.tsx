import { nameOf, usePerson } from "./people.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { partWords } from "#console/parts/part-words.ts";

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
export function Who({ principal }: { readonly principal: Principal }) {
  const words = partWords().who;
  const { issuer, subject, clientId } = principal;
  const person = usePerson(subject);
  if (issuer === DEPLOYMENT) return subject === ANYBODY ? words.anybody : words.deployment;
  if (subject === "" && clientId === "") return words.nobody;
  const name = person === undefined ? subject : nameOf(person);
  return (
    <span title={subject}>
      <Foreign>{name}</Foreign>
      {clientId !== subject && (
        <span className="text-muted">
          {" · "}
          {clientId === CONSOLE ? words.console : <Foreign>{clientId}</Foreign>}
        </span>
      )}
    </span>
  );
}
