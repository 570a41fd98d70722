import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewBankAccount } from "./new-bank-account.tsx";
import { type BankAccount, bankAccountsQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { hasMetadata, isMetadata } from "#console/places/payments/common/filters.ts";
import { listRequest } from "#console/places/payments/common/requests.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The bank accounts, newest first. */
export function BankAccountsPage() {
  const words = paymentWords();
  const search = useSearch({ from: "/payments/bank-accounts" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={words.tabs.bankAccounts}
      query={bankAccountsQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/payments/bank-accounts/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/payments/bank-accounts", search: next, replace: true }),
      }}
      code={[listRequest("/api/payments/v3/bank-accounts", filter)]}
      csv={{ name: "bank-accounts", columns: CSV, linesOf: oneLine }}
      create={may("payments:write") ? <NewBankAccount /> : null}
      none={words.bankAccounts.none}
    />
  );
}

const CONDITIONS = {
  name: equals("name"),
  country: equals("country"),
  metadata: hasMetadata,
};

function fieldsOf(): readonly FilterField[] {
  const { fields, bankAccounts } = paymentWords();
  return [
    { id: "name", label: fields.name, example: "Rent" },
    { id: "country", label: bankAccounts.country, example: "FR" },
    { id: "metadata", label: fields.metadata, example: "order=1234", accepts: isMetadata },
  ];
}

const CSV: readonly CsvColumn<BankAccount>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["country", ({ country }) => country],
  ["created_at", ({ createdAt }) => createdAt],
];

function columnsOf(): readonly Column<BankAccount>[] {
  const { fields, bankAccounts } = paymentWords();
  return [
    {
      id: "name",
      header: fields.name,
      width: 160,
      grow: 1,
      cell: ({ name }) => (
        <span className="font-medium">
          <Foreign>{name}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "country",
      header: bankAccounts.country,
      width: 80,
      cell: ({ country = "" }) => <Foreign>{country}</Foreign>,
      phone: "note",
    },
    {
      id: "related",
      header: bankAccounts.known,
      width: 120,
      isNumber: true,
      cell: ({ relatedAccounts }) => formatCount(relatedAccounts.length),
      phone: "end",
      isNamed: true,
    },
    {
      id: "created",
      header: fields.created,
      width: 152,
      rank: 1,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "note",
    },
  ];
}
