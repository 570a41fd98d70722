import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewPerson } from "./new-person.tsx";
import { peoplePages } from "./queries.ts";
import { toWire } from "#console/api/client.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Status } from "#console/parts/base/status.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import { nameOf, type Person } from "#console/parts/principals/people.ts";
import type { Column } from "#console/parts/table/types.ts";
import { mayChangeAccess } from "#console/places/access/reach.ts";
import { LedgerNames } from "#console/places/access/scopes/ledgers-field.tsx";
import { ScopeLine } from "#console/places/access/scopes/scope-words.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** Everybody who may sign in, with what they may do. */
export function PeoplePage() {
  const words = accessWords().people;
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  return (
    <ListPage
      label={words.title}
      query={peoplePages()}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/access/people/$id", params: { id } })}
      code={[toWire("get", "/api/florin/v1/users", {})]}
      csv={{ name: "people", columns: CSV, linesOf: oneLine }}
      create={mayChangeAccess() ? <NewPerson /> : null}
      none={words.none}
    />
  );
}

function columnsOf(): readonly Column<Person>[] {
  const words = accessWords().people;
  return [
    {
      id: "name",
      header: words.name,
      width: 160,
      grow: 0.7,
      cell: (person) => (
        <span className="font-medium">
          <Foreign>{nameOf(person)}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "email",
      header: words.email,
      width: 180,
      grow: 0.8,
      rank: 2,
      cell: ({ email }) => <Foreign>{email}</Foreign>,
    },
    {
      id: "scopes",
      header: words.rights,
      width: 200,
      grow: 1.2,
      cell: ({ scopes }) => <ScopeLine scopes={scopes} />,
      phone: "note",
    },
    {
      id: "ledgers",
      header: words.ledgers,
      width: 120,
      grow: 0.4,
      rank: 3,
      cell: ({ ledgers }) => <LedgerNames ledgers={ledgers.join(", ")} />,
    },
    {
      id: "login",
      header: words.login,
      width: 150,
      rank: 1,
      cell: (person) => <LoginState person={person} />,
      phone: "end",
    },
  ];
}

/** Whether a person can sign in, and may do something then. */
export function LoginState({ person }: { readonly person: Person }) {
  const words = accessWords().people;
  if (person.scopes.length === 0) return <Status tone="neutral">{words.noRights}</Status>;
  return person.canLogIn ? (
    <Status tone="good">{words.canLogIn}</Status>
  ) : (
    <Status tone="waits">{words.needsLink}</Status>
  );
}

const CSV: readonly CsvColumn<Person>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["email", ({ email }) => email],
  ["issuer", ({ issuer }) => issuer],
  ["scopes", ({ scopes }) => scopes.join(" ")],
  ["ledgers", ({ ledgers }) => ledgers.join(" ")],
  ["canLogIn", ({ canLogIn }) => canLogIn],
];
