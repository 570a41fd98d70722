import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewBooking } from "./new-booking.tsx";
import { bookingsQuery } from "./queries.ts";
import { ScopeName } from "./scope.tsx";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Status } from "#console/parts/base/status.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { choicesOf } from "#console/places/payments/common/fields.ts";
import type { Booking } from "#console/places/payments/common/queries.ts";
import { listRequest } from "#console/places/payments/common/requests.ts";
import { bookingState } from "#console/places/payments/common/states.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The bookings, newest first: whose payments are mirrored in which ledger. */
export function BookingsPage() {
  const words = paymentWords();
  const search = useSearch({ from: "/payments/bookings" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  const mayBook = may("payments:write") && may("ledger:write");
  return (
    <ListPage
      label={words.tabs.bookings}
      query={bookingsQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/payments/bookings/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/payments/bookings", search: next, replace: true }),
      }}
      code={[listRequest("/api/florin/v1/payments/bookings", filter)]}
      csv={{ name: "bookings", columns: CSV, linesOf: oneLine }}
      create={mayBook ? <NewBooking /> : null}
      none={words.bookings.none}
    />
  );
}

const CONDITIONS = { ledger: equals("ledger"), state: equals("state") };

function fieldsOf(): readonly FilterField[] {
  const { fields, bookings } = paymentWords();
  return [
    { id: "ledger", label: bookings.ledger, example: "books" },
    {
      id: "state",
      label: fields.status,
      example: "RUNNING",
      choices: choicesOf(bookings.state),
    },
  ];
}

const CSV: readonly CsvColumn<Booking>[] = [
  ["id", ({ id }) => id],
  ["connector_id", ({ connectorID }) => connectorID],
  ["pool_id", ({ poolID }) => poolID],
  ["ledger", ({ ledger }) => ledger],
  ["schema_version", ({ schemaVersion }) => schemaVersion],
  ["template", ({ template }) => template],
  ["state", ({ state }) => state],
  ["booked", ({ booked }) => booked],
  ["failed", ({ failed }) => failed],
  ["pending", ({ pending }) => pending],
  ["last_booked_at", ({ lastBookedAt }) => lastBookedAt],
  ["error", ({ error }) => error],
];

function columnsOf(): readonly Column<Booking>[] {
  const { fields, bookings } = paymentWords();
  return [
    {
      id: "scope",
      header: bookings.whose,
      width: 140,
      grow: 1,
      cell: ({ connectorID, poolID }) => (
        <span className="font-medium">
          <ScopeName
            {...(connectorID === undefined ? {} : { connectorID })}
            {...(poolID === undefined ? {} : { poolID })}
          />
        </span>
      ),
      phone: "main",
    },
    {
      id: "ledger",
      header: bookings.ledger,
      width: 110,
      grow: 0.6,
      cell: ({ ledger }) => <Foreign>{ledger}</Foreign>,
      phone: "note",
    },
    {
      id: "state",
      header: fields.status,
      width: 110,
      cell: (row) => <Status {...bookingState(row)} />,
      phone: "end",
    },
    ...(["booked", "failed", "pending"] as const).map((count, index): Column<Booking> => ({
      id: count,
      header: bookings[count],
      width: 80,
      rank: index === 0 ? 2 : 1,
      isNumber: true,
      cell: (row) => (
        <span className={count === "failed" && row.failed > 0 ? "text-bad" : ""}>
          {formatCount(row[count])}
        </span>
      ),
    })),
    {
      id: "last",
      header: bookings.last,
      width: 152,
      rank: 3,
      isNumber: true,
      cell: ({ lastBookedAt }) =>
        lastBookedAt === undefined ? null : <Moment at={lastBookedAt} />,
    },
  ];
}
