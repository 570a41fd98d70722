import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { healthOf } from "./health.ts";
import { NewEndpoint } from "./new-endpoint.tsx";
import { type WebhookEndpoint, configsQuery, recentDeliveriesQuery } from "./queries.ts";
import { toWire } from "#console/api/client.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Status } from "#console/parts/base/status.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { locale } from "#console/parts/language/words.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { formatDuration } from "#console/parts/time/duration.ts";
import { mayChangeWebhooks } from "#console/places/developers/reach.ts";
import { developerWords } from "#console/places/developers/words.ts";

/** The endpoints that get events, with how well they do. */
export function WebhooksPage() {
  const words = developerWords().webhooks;
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  return (
    <ListPage
      label={words.title}
      query={configsQuery()}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/developers/webhooks/$id", params: { id } })}
      code={[toWire("get", "/api/webhooks/configs", {})]}
      csv={{ name: "webhooks", columns: CSV, linesOf: oneLine }}
      create={mayChangeWebhooks() ? <NewEndpoint /> : null}
      none={words.none}
    />
  );
}

function columnsOf(): readonly Column<WebhookEndpoint>[] {
  const words = developerWords().webhooks;
  return [
    {
      id: "endpoint",
      header: words.endpoint,
      width: 180,
      grow: 1,
      cell: ({ name, endpoint }) => <EndpointName name={name} endpoint={endpoint} />,
      phone: "main",
    },
    {
      id: "state",
      header: words.state,
      width: 100,
      cell: (config) => <EndpointStatus config={config} />,
      phone: "end",
    },
    {
      id: "rate",
      header: words.rate,
      width: 110,
      isNumber: true,
      cell: ({ id }) => <Rate id={id} />,
      phone: "note",
      isNamed: true,
    },
    {
      id: "delay",
      header: words.delay,
      width: 110,
      rank: 1,
      isNumber: true,
      cell: ({ id }) => <Delay id={id} />,
      phone: "note",
      isNamed: true,
    },
    {
      id: "types",
      header: words.types,
      width: 90,
      rank: 2,
      isNumber: true,
      cell: ({ eventTypes }) => formatCount(eventTypes.length),
    },
  ];
}

const EndpointName = ({ name, endpoint }: Pick<WebhookEndpoint, "name" | "endpoint">) => (
  <>
    {name !== "" && (
      <span className="mr-2 font-medium">
        <Foreign>{name}</Foreign>
      </span>
    )}
    <span className={`font-mono text-note ${name === "" ? "" : "text-muted"}`}>
      <Foreign>{endpoint}</Foreign>
    </span>
  </>
);

/** What the newest deliveries say, which are read when the row comes into view. */
export function useHealth(id: string) {
  const { data, dataUpdatedAt: updatedAt } = useQuery(recentDeliveriesQuery(id));
  return useMemo(
    () => (data === undefined ? undefined : healthOf(data, updatedAt)),
    [data, updatedAt],
  );
}

export function EndpointStatus({ config: { id, active } }: { readonly config: WebhookEndpoint }) {
  const words = developerWords().webhooks;
  const health = useHealth(id);
  if (!active) return <Status tone="neutral">{words.inactive}</Status>;
  if (health?.failing !== undefined) return <Status tone="bad">{words.failing}</Status>;
  if (health?.waitingSince !== undefined) return <Status tone="warn">{words.behind}</Status>;
  return <Status tone="good">{words.active}</Status>;
}

const PERCENT = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });

export function Rate({ id }: { readonly id: string }) {
  const health = useHealth(id);
  return health?.rate === undefined ? <Nothing /> : PERCENT.format(health.rate);
}

export function Delay({ id }: { readonly id: string }) {
  const health = useHealth(id);
  return health?.delayMs === undefined ? <Nothing /> : formatDuration(health.delayMs, locale);
}

const Nothing = () => <span className="text-faint">–</span>;

const CSV: readonly CsvColumn<WebhookEndpoint>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["endpoint", ({ endpoint }) => endpoint],
  ["active", ({ active }) => active],
  ["eventTypes", ({ eventTypes }) => eventTypes.join(" ")],
  ["createdAt", ({ createdAt }) => createdAt],
  ["updatedAt", ({ updatedAt }) => updatedAt],
];
