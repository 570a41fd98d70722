import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { type EventType, eventTypesQuery } from "./queries.ts";
import { SchemaView } from "./schema-view.tsx";
import { toWire } from "#console/api/client.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import {
  type FilterField,
  type FilterValues,
  valuesIn,
} from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListFrame } from "#console/parts/lists/list-page.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { developerWords } from "#console/places/developers/words.ts";

/** What may happen in the modules: each type of event with what it delivers. */
export function EventTypesPage() {
  const words = developerWords().eventTypes;
  const search = useSearch({ from: "/developers/event-types" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const { data, error, refetch } = useQuery(eventTypesQuery());
  const fields = useMemo(() => fieldsOf(data ?? []), [data]);
  const values = valuesIn(search, fields);
  const { open, app } = search;
  const show = useCallback(
    (next: FilterValues, name: string | undefined) =>
      void navigate({
        to: "/developers/event-types",
        search: name === undefined ? next : { ...next, open: name },
        replace: true,
      }),
    [navigate],
  );
  const rows = useMemo(
    () => (data ?? []).filter((type) => app === undefined || type.app === app),
    [data, app],
  );
  const opened = data?.find(({ name }) => name === open);
  return (
    <ListFrame
      filters={{ fields, values, onChange: (next) => show(next, open) }}
      actions={<AsCode requests={[toWire("get", "/api/florin/v1/event-types", {})]} />}
      panel={
        opened !== undefined && (
          <Panel title={opened.name} onClose={() => show(values, undefined)}>
            <TypeView type={opened} />
          </Panel>
        )
      }
    >
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows />}
      {data !== undefined && rows.length === 0 && <Empty title={partWords().filter.nothingFits} />}
      {rows.length > 0 && (
        <DataTable
          label={words.title}
          columns={columns}
          rows={rows}
          idOf={({ name }) => name}
          openId={open}
          onOpen={({ name }) => show(values, name)}
          hasMore={false}
        />
      )}
    </ListFrame>
  );
}

function TypeView({ type: { name, description, schema, example } }: { readonly type: EventType }) {
  const words = developerWords().eventTypes;
  return (
    <>
      <p>{description}</p>
      <p className="mt-2">
        <Link
          to="/developers/events"
          search={{ types: name }}
          className="text-accent hover:underline"
        >
          {words.follow}
        </Link>
      </p>
      <Section title={words.fields}>
        <SchemaView schema={schema} />
      </Section>
      <Section title={words.example}>
        <JsonView value={example} />
      </Section>
      <Section title={words.schema}>
        <JsonView value={schema} />
      </Section>
    </>
  );
}

const fieldsOf = (types: readonly EventType[]): readonly FilterField[] => [
  {
    id: "app",
    label: developerWords().eventTypes.module,
    example: "ledger",
    choices: [...new Set(types.map(({ app }) => app))].map((value) => ({ value, label: value })),
  },
];

function columnsOf(): readonly Column<EventType>[] {
  const words = developerWords().eventTypes;
  return [
    {
      id: "name",
      header: words.type,
      width: 260,
      grow: 0.7,
      cell: ({ name }) => (
        <span className="font-mono text-note">
          <Foreign>{name}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "description",
      header: words.description,
      width: 200,
      grow: 1,
      cell: ({ description }) => <span className="text-muted">{description}</span>,
      phone: "note",
    },
  ];
}
