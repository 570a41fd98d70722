import { Plus } from "lucide-react";
import { useState } from "react";
import { type WalletBalance, WALLETS_KEY } from "./queries.ts";
import { walletWords } from "./words.ts";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";

/** The balances of a wallet, with what they hold. */
export function Balances({ balances }: { readonly balances: readonly WalletBalance[] }) {
  const words = walletWords().balances;
  return (
    <>
      <table className="w-full">
        <thead>
          <tr className="border-b border-line text-note text-muted">
            <th className="pb-1 text-left font-normal">{words.name}</th>
            <th className="pb-1 text-right font-normal max-sm:hidden">{words.priority}</th>
            <th className="pb-1 pl-6 text-left font-normal">{words.expires}</th>
            <th className="pb-1 text-right font-normal">{words.holds}</th>
          </tr>
        </thead>
        <tbody>
          {balances.map(({ name, priority, expiresAt, assets }) => (
            <tr key={name} className="border-b border-line align-top">
              <td className="py-1.5 font-medium">{name}</td>
              <td className="figures py-1.5 text-right text-muted max-sm:hidden">
                {String(priority)}
              </td>
              <td className="py-1.5 pl-6 text-muted">
                <Expiry at={expiresAt} />
              </td>
              <td className="py-1.5 text-right">
                {Object.entries(assets).map(([asset, amount]) => (
                  <p key={asset}>
                    <Money amount={amount} asset={asset} />
                  </p>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {balances.length > 1 && <p className="mt-2 text-note text-muted">{words.note}</p>}
    </>
  );
}

function Expiry({ at }: { readonly at: string | null }) {
  const words = walletWords().balances;
  const [nowMs] = useState(() => Date.now());
  if (at === null) return words.never;
  return (
    <>
      {Date.parse(at) < nowMs && <span className="text-warn">{words.expired} </span>}
      <Moment at={at} />
    </>
  );
}

/** The button and the form of a new balance of a wallet. */
export function NewBalance({ wallet }: { readonly wallet: string }) {
  const words = walletWords().balances;
  return (
    <FormDialog
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.create}
        </>
      }
      title={words.create}
      kind="quiet"
    >
      {(close) => <BalanceForm wallet={wallet} close={close} />}
    </FormDialog>
  );
}

const FIRST = { name: "", priority: "0", expiresAt: "" };

function BalanceForm({ wallet, close }: { readonly wallet: string; readonly close: () => void }) {
  const words = walletWords().balances;
  const [draft, change, clear] = useDraft(`balance:${wallet}`, FIRST);
  const write = useWrite(
    ({ name, priority, expiresAt }: typeof FIRST, options) =>
      florin.post(
        "/api/wallets/wallets/{walletID}/balances",
        {
          path: { walletID: wallet },
          body: {
            name,
            priority: BigInt(priority),
            ...(expiresAt === "" ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
          },
        },
        options,
      ),
    {
      refresh: [[...WALLETS_KEY, wallet]],
      onDone: () => {
        clear();
        close();
      },
    },
  );
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send(draft)}>
      <TextField
        label={words.name}
        value={draft.name}
        onChange={(name) => change({ ...draft, name })}
        hint={words.nameHint}
        pattern="[0-9A-Za-z_\-]+"
        isRequired
        isCode
      />
      <TextField
        label={words.priority}
        value={draft.priority}
        onChange={(priority) => change({ ...draft, priority })}
        hint={words.priorityHint}
        pattern="-?\d+"
        isRequired
      />
      <TextField
        label={words.expires}
        value={draft.expiresAt}
        onChange={(expiresAt) => change({ ...draft, expiresAt })}
        type="datetime-local"
      />
    </Form>
  );
}
