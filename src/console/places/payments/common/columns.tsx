import { AccountName } from "./names.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import { Money } from "#console/parts/money/money.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { paymentWords } from "#console/places/payments/words.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
/** What payments and orders to make them have in common. */
type MoneyRow = Pick<
  Schemas["Payment"],
  "createdAt" | "reference" | "amount" | "asset" | "sourceAccountID" | "destinationAccountID"
> & { readonly type: keyof ReturnType<typeof paymentWords>["paymentType"] };

export const whenColumn = (): Column<Pick<MoneyRow, "createdAt">> => ({
  id: "when",
  header: paymentWords().fields.when,
  width: 168,
  cell: ({ createdAt }) => <Moment at={createdAt} />,
  phone: "note",
});

export const referenceColumn = (): Column<Pick<MoneyRow, "reference">> => ({
  id: "reference",
  header: paymentWords().fields.reference,
  width: 130,
  grow: 1,
  cell: ({ reference }) => (
    <span className="font-medium">
      <Foreign>{reference}</Foreign>
    </span>
  ),
  phone: "main",
});

export const typeColumn = (): Column<Pick<MoneyRow, "type">> => ({
  id: "type",
  header: paymentWords().fields.type,
  width: 76,
  rank: 4,
  cell: ({ type }) => <span className="text-muted">{paymentWords().paymentType[type]}</span>,
});

export const fromColumn = (): Column<Pick<MoneyRow, "sourceAccountID">> => ({
  id: "from",
  header: paymentWords().fields.from,
  width: 104,
  grow: 0.6,
  rank: 3,
  cell: ({ sourceAccountID }) => <AccountName id={sourceAccountID} />,
});

export const toColumn = (): Column<Pick<MoneyRow, "destinationAccountID">> => ({
  id: "to",
  header: paymentWords().fields.to,
  width: 104,
  grow: 0.6,
  rank: 2,
  cell: ({ destinationAccountID }) => <AccountName id={destinationAccountID} />,
});

export const amountColumn = (): Column<Pick<MoneyRow, "amount" | "asset">> => ({
  id: "amount",
  header: paymentWords().fields.amount,
  width: 120,
  isNumber: true,
  cell: ({ amount, asset }) => <Money amount={amount} asset={asset} />,
  phone: "end",
});
