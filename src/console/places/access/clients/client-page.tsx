import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { bodyOf, type ClientDraft, draftOf, kindOf } from "./client-draft.ts";
import { ClientFields } from "./client-fields.tsx";
import { type Client, clientQuery, CLIENTS_KEY, ledgersOf, nameOf } from "./queries.ts";
import { Secrets } from "./secrets.tsx";
import { toWire } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { clientsCrumb } from "#console/places/access/access-frame.tsx";
import { lackingOf, mayChangeAccess } from "#console/places/access/reach.ts";
import { LedgerNames } from "#console/places/access/scopes/ledgers-field.tsx";
import { ScopeList } from "#console/places/access/scopes/scope-words.tsx";
import { MODULES, OPERATE } from "#console/places/access/scopes/scopes.ts";
import { SeeAudit } from "#console/places/access/see-audit.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** A client: what it is, what it may do, and its secrets. */
export function ClientPage() {
  const { id } = useParams({ from: "/access/clients/$id" });
  const { data, error, refetch } = useQuery(clientQuery(id));
  return (
    <>
      <PageTitle
        crumbs={[clientsCrumb()]}
        title={data === undefined ? id : nameOf(data)}
        actions={
          <>
            <SeeAudit subject={id} />
            <AsCode
              requests={[toWire("get", "/api/auth/clients/{clientId}", { path: { clientId: id } })]}
            />
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && <Failure error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && (
          <div className="max-w-3xl p-6 max-sm:p-4">
            <Details client={data} />
          </div>
        )}
      </div>
    </>
  );
}

/** What somebody needs to change a client: a trusted one is changed by who may do everything. */
const lackingFor = ({ scopes, trusted }: Client): string[] =>
  lackingOf(
    trusted
      ? [...new Set([...scopes, ...MODULES.map((name) => `${name}:write`), OPERATE])]
      : scopes,
  );

function Details({ client }: { readonly client: Client }) {
  const words = accessWords().clients;
  const lacking = lackingFor(client);
  const mayChange = mayChangeAccess() && lacking.length === 0;
  return (
    <>
      {mayChangeAccess() && lacking.length > 0 && (
        <p className="mb-6 rounded-md border border-line bg-sunken p-3">
          {accessWords().lacking(lacking)}
        </p>
      )}
      <Section title={words.one} actions={mayChange ? <Change client={client} /> : undefined}>
        <ClientFacts client={client} />
      </Section>
      <Section title={words.rights}>
        <ScopeList scopes={client.scopes} />
      </Section>
      {!client.public && (
        <Section title={words.secrets}>
          <Secrets client={client} mayChange={mayChange} />
        </Section>
      )}
      {mayChange && (
        <Section title={words.end}>
          <Delete id={client.id} />
        </Section>
      )}
    </>
  );
}

function ClientFacts({ client }: { readonly client: Client }) {
  const words = accessWords().clients;
  const { id, description, trusted, redirectUris, postLogoutRedirectUris } = client;
  return (
    <Facts>
      <Fact name={words.id}>
        <span className="inline-flex items-center gap-1 font-mono text-note">
          <Foreign>{id}</Foreign>
          <CopyButton value={id} what={words.id} />
        </span>
      </Fact>
      <Fact name={words.kind}>{words.kinds[kindOf(client)]}</Fact>
      {description !== "" && (
        <Fact name={words.description}>
          <Foreign>{description}</Foreign>
        </Fact>
      )}
      <Fact name={words.ledgers}>
        <LedgerNames ledgers={ledgersOf(client)} />
      </Fact>
      {trusted && <Fact name={words.trusted}>{words.trustedHint}</Fact>}
      {redirectUris.length > 0 && (
        <Fact name={words.redirectUris}>
          <Uris uris={redirectUris} />
        </Fact>
      )}
      {postLogoutRedirectUris.length > 0 && (
        <Fact name={words.postLogoutRedirectUris}>
          <Uris uris={postLogoutRedirectUris} />
        </Fact>
      )}
    </Facts>
  );
}

const Uris = ({ uris }: { readonly uris: readonly string[] }) => (
  <ul className="font-mono text-note">
    {uris.map((uri) => (
      <li key={uri}>
        <Foreign>{uri}</Foreign>
      </li>
    ))}
  </ul>
);

const Change = ({ client }: { readonly client: Client }) => (
  <FormDialog title={accessWords().clients.change} trigger={accessWords().clients.change} isWide>
    {(close) => <ChangeForm client={client} close={close} />}
  </FormDialog>
);

function ChangeForm({ client, close }: { readonly client: Client; readonly close: () => void }) {
  const words = accessWords().clients;
  const [draft, setDraft] = useState(() => draftOf(client));
  const write = useWrite(
    (next: ClientDraft, options) =>
      florin.put(
        "/api/auth/clients/{clientId}",
        { path: { clientId: client.id }, body: bodyOf(next, client) },
        options,
      ),
    { refresh: [CLIENTS_KEY], onDone: close },
  );
  return (
    <Form write={write} submit={words.save} onSubmit={() => write.send(draft)}>
      <ClientFields draft={draft} onChange={setDraft} isNew={false} />
      <p className="text-note text-muted">{words.changeHint}</p>
    </Form>
  );
}

function Delete({ id }: { readonly id: string }) {
  const words = accessWords().clients;
  const navigate = useNavigate();
  const write = useWrite(
    (clientId: string, options) =>
      florin.delete("/api/auth/clients/{clientId}", { path: { clientId } }, options),
    {
      refresh: [[...CLIENTS_KEY, "list"]],
      onDone: () => navigate({ to: "/access/clients" }),
    },
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
