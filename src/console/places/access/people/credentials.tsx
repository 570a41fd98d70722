import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { passkeysQuery, PEOPLE_KEYS, sessionsQuery } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { ConfirmButton } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { accessWords } from "#console/places/access/words.ts";

interface CredentialsProps {
  readonly personId: string;
  readonly mayChange: boolean;
}

/** The browsers in which a person is signed in, each with the button that ends its session. */
export function Sessions({ personId, mayChange }: CredentialsProps) {
  const words = accessWords().people;
  const { data, error, refetch } = useQuery(sessionsQuery(personId));
  return (
    <Section title={words.sessions}>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows rows={2} />}
      {data?.length === 0 && <p className="text-muted">{words.noSessions}</p>}
      <Items label={words.sessions}>
        {data?.map(({ id, authenticatedAt, expiresAt }) => (
          <Item key={id}>
            <span>
              {words.since} <Moment at={authenticatedAt} isWhole />{" "}
              <span className="text-muted">
                {words.until} <Moment at={expiresAt} />
              </span>
            </span>
            {mayChange && <EndSession personId={personId} id={id} />}
          </Item>
        ))}
      </Items>
    </Section>
  );
}

/** The passkeys of a person, each with the button that removes it. */
export function Passkeys({ personId, mayChange }: CredentialsProps) {
  const words = accessWords().people;
  const { data, error, refetch } = useQuery(passkeysQuery(personId));
  return (
    <Section title={words.passkeys}>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows rows={2} />}
      {data?.length === 0 && <p className="text-muted">{words.noPasskeys}</p>}
      <Items label={words.passkeys}>
        {data?.map(({ id, uses }) => (
          <Item key={id}>
            <span className="min-w-0 truncate">
              <code className="font-mono text-note" title={id}>
                {id.slice(0, ID_SHOWN)}
              </code>{" "}
              {uses > 0 && <span className="text-muted">{words.used(formatCount(uses))}</span>}
            </span>
            {mayChange && <RemovePasskey personId={personId} id={id} />}
          </Item>
        ))}
      </Items>
    </Section>
  );
}

/** How much of the id of a passkey is shown, in characters. */
const ID_SHOWN = 12;

const Items = ({
  label,
  children,
}: {
  readonly label: string;
  readonly children: readonly ReactNode[] | undefined;
}) =>
  children === undefined || children.length === 0 ? null : (
    <ul aria-label={label} className="divide-y divide-line rounded-md border border-line">
      {children}
    </ul>
  );

const Item = ({ children }: { readonly children: ReactNode }) => (
  <li className="flex items-center justify-between gap-4 px-3 py-1.5">{children}</li>
);

interface CredentialProps {
  readonly personId: string;
  readonly id: string;
}

function EndSession({ personId: userId, id: sessionId }: CredentialProps) {
  const words = accessWords().people;
  const write = useWrite(
    (path: { readonly userId: string; readonly sessionId: string }, options) =>
      florin.delete("/api/florin/v1/users/{userId}/sessions/{sessionId}", { path }, options),
    { refresh: PEOPLE_KEYS },
  );
  return (
    <ConfirmButton
      trigger={words.endSession}
      title={words.endSession}
      submit={words.endSession}
      write={write}
      onConfirm={() => write.send({ userId, sessionId })}
    >
      <p className="text-muted">{words.endSessionHint}</p>
    </ConfirmButton>
  );
}

function RemovePasskey({ personId: userId, id: passkeyId }: CredentialProps) {
  const words = accessWords().people;
  const write = useWrite(
    (path: { readonly userId: string; readonly passkeyId: string }, options) =>
      florin.delete("/api/florin/v1/users/{userId}/passkeys/{passkeyId}", { path }, options),
    { refresh: PEOPLE_KEYS },
  );
  return (
    <ConfirmButton
      trigger={words.removePasskey}
      title={words.removePasskey}
      submit={words.removePasskey}
      write={write}
      onConfirm={() => write.send({ userId, passkeyId })}
    >
      <p className="text-muted">{words.removePasskeyHint}</p>
    </ConfirmButton>
  );
}
