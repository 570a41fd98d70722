import type { Payment } from "./queries.ts";
import { Status } from "#console/parts/base/status.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import type { Column } from "#console/parts/table/types.ts";
import {
  amountColumn,
  fromColumn,
  referenceColumn,
  toColumn,
  typeColumn,
  whenColumn,
} from "#console/places/payments/common/columns.tsx";
import { ConnectorName } from "#console/places/payments/common/names.tsx";
import { paymentStatus } from "#console/places/payments/common/states.ts";
import { paymentWords } from "#console/places/payments/words.ts";

export function paymentColumns(): readonly Column<Payment>[] {
  const { fields } = paymentWords();
  return [
    whenColumn(),
    referenceColumn(),
    typeColumn(),
    fromColumn(),
    toColumn(),
    {
      id: "connector",
      header: fields.connector,
      width: 110,
      grow: 0.6,
      rank: 5,
      cell: ({ connectorID, provider }) => (
        <span className="text-muted">
          <ConnectorName id={connectorID} kind={provider} />
        </span>
      ),
    },
    {
      id: "status",
      header: fields.status,
      width: 124,
      cell: ({ status }) => <Status {...paymentStatus(status)} />,
      phone: "note",
    },
    amountColumn(),
  ];
}

export const PAYMENT_CSV: readonly CsvColumn<Payment>[] = [
  ["id", ({ id }) => id],
  ["created_at", ({ createdAt }) => createdAt],
  ["reference", ({ reference }) => reference],
  ["type", ({ type }) => type],
  ["status", ({ status }) => status],
  ["amount", ({ amount }) => amount],
  ["initial_amount", ({ initialAmount }) => initialAmount],
  ["asset", ({ asset }) => asset],
  ["scheme", ({ scheme }) => scheme],
  ["source_account_id", ({ sourceAccountID }) => sourceAccountID],
  ["destination_account_id", ({ destinationAccountID }) => destinationAccountID],
  ["connector_id", ({ connectorID }) => connectorID],
  ["provider", ({ provider }) => provider],
];
