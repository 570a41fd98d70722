import type { Initiation } from "./queries.ts";
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
import { Who } from "#console/places/payments/common/names.tsx";
import { initiationStatus } from "#console/places/payments/common/states.ts";
import { paymentWords } from "#console/places/payments/words.ts";

export function initiationColumns(): readonly Column<Initiation>[] {
  const { fields, initiations } = paymentWords();
  return [
    whenColumn(),
    referenceColumn(),
    typeColumn(),
    fromColumn(),
    toColumn(),
    {
      id: "by",
      header: initiations.askedBy,
      width: 110,
      grow: 0.6,
      rank: 5,
      cell: ({ createdBy }) => (
        <span className="text-muted">
          <Who subject={createdBy} />
        </span>
      ),
    },
    {
      id: "status",
      header: fields.status,
      width: 196,
      cell: ({ status }) => <Status {...initiationStatus(status)} />,
      phone: "note",
    },
    amountColumn(),
  ];
}

export const INITIATION_CSV: readonly CsvColumn<Initiation>[] = [
  ["id", ({ id }) => id],
  ["created_at", ({ createdAt }) => createdAt],
  ["created_by", ({ createdBy }) => createdBy],
  ["reference", ({ reference }) => reference],
  ["type", ({ type }) => type],
  ["status", ({ status }) => status],
  ["amount", ({ amount }) => amount],
  ["asset", ({ asset }) => asset],
  ["description", ({ description }) => description],
  ["error", ({ error }) => error],
  ["source_account_id", ({ sourceAccountID }) => sourceAccountID],
  ["destination_account_id", ({ destinationAccountID }) => destinationAccountID],
  ["connector_id", ({ connectorID }) => connectorID],
];
