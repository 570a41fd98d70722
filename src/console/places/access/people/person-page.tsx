import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Passkeys, Sessions } from "./credentials.tsx";
import { LoginState } from "./people-page.tsx";
import { LinkButton } from "./person-links.tsx";
import { PEOPLE_KEYS } from "./queries.ts";
import { florin, session } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { nameOf, peopleQuery, type Person } from "#console/parts/principals/people.ts";
import { peopleCrumb } from "#console/places/access/access-frame.tsx";
import { isMyself, lackingOf, mayChangeAccess } from "#console/places/access/reach.ts";
import {
  LedgerNames,
  LedgersField,
  ledgersIn,
} from "#console/places/access/scopes/ledgers-field.tsx";
import { ScopeFields } from "#console/places/access/scopes/scope-fields.tsx";
import { ScopeList } from "#console/places/access/scopes/scope-words.tsx";
import { isEverything, rightsOf, scopesOf } from "#console/places/access/scopes/scopes.ts";
import { SeeAudit } from "#console/places/access/see-audit.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** A person: how they get in, what they may do, and what is done about it. */
export function PersonPage() {
  const words = accessWords().people;
  const { id } = useParams({ from: "/access/people/$id" });
  const { data, error, refetch } = useQuery(peopleQuery());
  const person = data?.find((other) => other.id === id);
  return (
    <>
      <PageTitle
        crumbs={[peopleCrumb()]}
        title={person === undefined ? id : nameOf(person)}
        actions={<SeeAudit subject={id} />}
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && <Failure error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && person === undefined && <Empty title={words.gone} />}
        {data !== undefined && person !== undefined && (
          <div className="max-w-3xl p-6 max-sm:p-4">
            <Details person={person} isLast={isLastAdministrator(person, data)} />
          </div>
        )}
      </div>
    </>
  );
}

/** Whether nobody else could give rights back. The server then keeps the person, unless its first client asks. */
function isLastAdministrator(person: Person, people: readonly Person[]): boolean {
  const isAdministrator = ({ canLogIn, scopes, ledgers }: Person): boolean =>
    canLogIn && ledgers.length === 0 && isEverything(rightsOf(scopes));
  return (
    session.state.kind !== "open" &&
    isAdministrator(person) &&
    !people.some((other) => other.id !== person.id && isAdministrator(other))
  );
}

function Details({ person, isLast }: { readonly person: Person; readonly isLast: boolean }) {
  const words = accessWords().people;
  const { id, issuer, scopes } = person;
  const lacking = lackingOf(scopes);
  const mayChange = mayChangeAccess() && lacking.length === 0;
  return (
    <>
      {mayChangeAccess() && lacking.length > 0 && (
        <p className="mb-6 rounded-md border border-line bg-sunken p-3">
          {accessWords().lacking(lacking)}
        </p>
      )}
      <PersonFacts person={person} />
      <Section
        title={words.rights}
        actions={mayChange && !isLast ? <ChangeRights person={person} /> : undefined}
      >
        <ScopeList scopes={scopes} />
        {isMyself(id) && (
          <p className="mt-2 text-note text-muted">
            {words.yourself}{" "}
            <a href="/api/auth/account" className="text-accent hover:underline">
              {words.security}
            </a>
          </p>
        )}
        {mayChange && isLast && <p className="mt-2 text-note text-muted">{words.last}</p>}
      </Section>
      <Sessions personId={id} mayChange={mayChange} />
      <Passkeys personId={id} mayChange={mayChange} />
      {mayChange && issuer === undefined && (
        <Section title={words.links}>
          <div className="flex flex-wrap gap-2">
            <LinkButton id={id} of="signIn" />
            <LinkButton id={id} of="password" />
          </div>
        </Section>
      )}
      {mayChange && !isLast && (
        <Section title={words.end}>
          <div className="flex flex-wrap gap-2">
            {scopes.length > 0 && <Deactivate id={id} />}
            <Delete id={id} />
          </div>
        </Section>
      )}
    </>
  );
}

function PersonFacts({ person }: { readonly person: Person }) {
  const words = accessWords().people;
  const { id, email, name, issuer, ledgers } = person;
  return (
    <Facts>
      {name !== undefined && (
        <Fact name={words.name}>
          <Foreign>{name}</Foreign>
        </Fact>
      )}
      <Fact name={words.email}>
        <Foreign>{email}</Foreign>
      </Fact>
      <Fact name={words.login}>
        <LoginState person={person} />
      </Fact>
      <Fact name={words.ledgers}>
        <LedgerNames ledgers={ledgers.join(", ")} />
      </Fact>
      {issuer !== undefined && (
        <Fact name={words.issuer}>
          <Foreign>{issuer}</Foreign>
        </Fact>
      )}
      <Fact name={words.id}>
        <span className="inline-flex items-center gap-1 font-mono text-note">
          {id}
          <CopyButton value={id} what={words.id} />
        </span>
      </Fact>
    </Facts>
  );
}

const ChangeRights = ({ person }: { readonly person: Person }) => (
  <FormDialog
    title={accessWords().people.changeRights}
    trigger={accessWords().people.changeRights}
    isWide
  >
    {(close) => <RightsForm person={person} close={close} />}
  </FormDialog>
);

function RightsForm({
  person: { id, scopes, ledgers },
  close,
}: {
  readonly person: Person;
  readonly close: () => void;
}) {
  const words = accessWords().people;
  const [rights, setRights] = useState(() => rightsOf(scopes));
  const [ledgerText, setLedgerText] = useState(ledgers.join(", "));
  const write = useSetRights(id, close);
  return (
    <Form
      write={write}
      submit={words.save}
      onSubmit={() =>
        write.send({ scopes: scopesOf(rights, scopes), ledgers: ledgersIn(ledgerText) })
      }
    >
      <p className="text-muted">{words.rightsHint}</p>
      <ScopeFields rights={rights} onChange={setRights} />
      <LedgersField value={ledgerText} onChange={setLedgerText} hint={words.ledgersHint} />
    </Form>
  );
}

interface NewRights {
  readonly scopes: string[];
  /** The only ledgers; absent to keep those that the person has. */
  readonly ledgers?: string[];
}

const useSetRights = (userId: string, onDone: () => void) =>
  useWrite(
    (body: NewRights, options) =>
      florin.put("/api/florin/v1/users/{userId}", { path: { userId }, body }, options),
    { refresh: PEOPLE_KEYS, onDone },
  );

function Deactivate({ id }: { readonly id: string }) {
  const words = accessWords().people;
  const write = useSetRights(id, () => undefined);
  return (
    <ConfirmButton
      trigger={words.deactivate}
      title={words.deactivate}
      submit={words.deactivate}
      write={write}
      onConfirm={() => write.send({ scopes: [] })}
    >
      <p className="text-muted">{words.deactivateHint}</p>
    </ConfirmButton>
  );
}

function Delete({ id }: { readonly id: string }) {
  const words = accessWords().people;
  const navigate = useNavigate();
  const write = useWrite(
    (userId: string, options) =>
      florin.delete("/api/florin/v1/users/{userId}", { path: { userId } }, options),
    { onDone: () => navigate({ to: "/access/people" }), refresh: PEOPLE_KEYS },
  );
  return (
    <ConfirmButton
      trigger={words.remove}
      title={words.remove}
      submit={words.remove}
      write={write}
      onConfirm={() => write.send(id)}
    >
      <p className="text-muted">{words.removeHint}</p>
    </ConfirmButton>
  );
}
