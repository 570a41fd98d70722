import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Hold, holdsQuery, WALLETS_KEY } from "./queries.ts";
import { walletWords } from "./words.ts";
import { florin, may } from "#console/api/florin.ts";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { SwitchField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { locale } from "#console/parts/language/words.ts";
import { AmountField } from "#console/parts/money/amount-field.tsx";
import { formatAmount, parseAsset, toDecimal } from "#console/parts/money/asset.ts";
import { Money } from "#console/parts/money/money.tsx";
import { parseAmount } from "#console/parts/money/parse-amount.ts";
import { Moment } from "#console/parts/time/moment.tsx";

/** The holds of a wallet, open ones first, with what can be done with them. */
export function Holds({ wallet, ledger }: { readonly wallet: string; readonly ledger: string }) {
  const words = walletWords().holds;
  const { data, error, refetch, fetchNextPage, hasNextPage } = useInfiniteQuery(holdsQuery(wallet));
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={2} />;
  const holds = data.pages.flatMap(({ rows }) => rows);
  if (holds.length === 0) return <p className="text-muted">{words.none}</p>;
  const byState = holds.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
  return (
    <>
      <ul aria-label={words.title} className="divide-y divide-line rounded-md border border-line">
        {byState.map((hold) => (
          <HoldRow key={hold.id} wallet={wallet} hold={hold} ledger={ledger} />
        ))}
      </ul>
      {hasNextPage && (
        <Button className="mt-4" onClick={() => void fetchNextPage()}>
          {words.showMore}
        </Button>
      )}
    </>
  );
}

const isOpen = ({ remaining = 0 }: Hold): boolean => BigInt(remaining) > 0n;

interface HoldProps {
  readonly wallet: string;
  readonly hold: Hold;
}

function HoldRow({ wallet, hold, ledger }: HoldProps & { readonly ledger: string }) {
  const words = walletWords().holds;
  const { description, destination, asset, originalAmount = 0, remaining = 0, expiresAt } = hold;
  const open = isOpen(hold);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium">
            <Foreign>{description === "" ? words.noDescription : description}</Foreign>
          </span>
          <span className="text-note">
            <Status tone={open ? "waits" : "neutral"}>{open ? words.open : words.closed}</Status>
          </span>
        </p>
        <p className="flex min-w-0 flex-wrap gap-x-3 text-note text-muted">
          <span className="inline-flex min-w-0 items-baseline gap-1">
            {words.to} <Destination of={destination} ledger={ledger} />
          </span>
          {expiresAt !== undefined && (
            <span>
              {words.expires} <Moment at={expiresAt} />
            </span>
          )}
        </p>
      </div>
      <p className="figures text-right">
        <span className="font-medium">
          <Money amount={remaining} asset={asset} />
        </span>{" "}
        <span className="text-note text-muted">
          {words.left} {words.of} <Money amount={originalAmount} asset={asset} />
        </span>
      </p>
      {open && may("wallets:write") && (
        <div className="flex gap-2">
          <VoidHold wallet={wallet} hold={hold} />
          <FormDialog trigger={words.confirm} title={words.confirmTitle}>
            {(close) => <ConfirmForm wallet={wallet} hold={hold} close={close} />}
          </FormDialog>
        </div>
      )}
    </li>
  );
}

/** Where the money of a hold goes: an account or a wallet, which leads to its page for who may open it. */
function Destination({
  of: { type, identifier },
  ledger,
}: {
  readonly of: Hold["destination"];
  readonly ledger: string;
}) {
  const name = <Address address={identifier} />;
  if (type === "WALLET") {
    return (
      <Link to="/wallets/$id" params={{ id: identifier }} className={LINK}>
        {name}
      </Link>
    );
  }
  return may("ledger:read") ? (
    <Link
      to="/ledgers/$ledger/accounts/$address"
      params={{ ledger, address: identifier }}
      className={LINK}
    >
      {name}
    </Link>
  ) : (
    name
  );
}

const LINK = "text-accent hover:underline";

function VoidHold({ wallet, hold: { id, asset, remaining = 0 } }: HoldProps) {
  const words = walletWords().holds;
  const write = useWrite<() => void, unknown>(
    (_, options) =>
      florin.post("/api/wallets/holds/{holdID}/void", { path: { holdID: id } }, options),
    { refresh: [[...WALLETS_KEY, wallet]], onDone: (_, close) => close() },
  );
  return (
    <ConfirmButton
      trigger={words.void}
      title={words.voidTitle}
      submit={words.void}
      write={write}
      onConfirm={(close) => write.send(close)}
    >
      <p>{words.voidText(formatAmount(remaining, asset, locale))}</p>
    </ConfirmButton>
  );
}

interface Confirmation {
  readonly amount: bigint;
  readonly final: boolean;
}

function ConfirmForm({
  wallet,
  hold: { id, asset, remaining = 0 },
  close,
}: HoldProps & { readonly close: () => void }) {
  const words = walletWords().holds;
  const [text, setText] = useState<string>(toDecimal(remaining, parseAsset(asset)));
  const [isFinal, setFinal] = useState(false);
  const amount = parseAmount(text, asset, locale);
  const isPart = amount !== undefined && amount < BigInt(remaining);
  const write = useWrite(
    (body: Confirmation, options) =>
      florin.post("/api/wallets/holds/{holdID}/confirm", { path: { holdID: id }, body }, options),
    { refresh: [[...WALLETS_KEY, wallet]], onDone: close },
  );
  return (
    <Form
      write={write}
      submit={words.confirm}
      onSubmit={() => {
        if (amount !== undefined) write.send({ amount, final: isPart && isFinal });
      }}
    >
      <p>{words.confirmText}</p>
      <AmountField label={words.amount} value={text} onChange={setText} asset={asset} />
      {isPart && <SwitchField label={words.final} value={isFinal} onChange={setFinal} />}
    </Form>
  );
}
