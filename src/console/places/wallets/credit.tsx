import { Plus } from "lucide-react";
import { assetsOf, type Movement, MovementFields } from "./movement-fields.tsx";
import { type Summary, WALLETS_KEY } from "./queries.ts";
import { walletWords } from "./words.ts";
import type { WriteCall } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { locale } from "#console/parts/language/words.ts";
import { parseAmount } from "#console/parts/money/parse-amount.ts";

interface CreditProps {
  readonly wallet: string;
  readonly summary: Summary;
}

/** The button and the form that move money into a wallet. */
export function Credit(props: CreditProps) {
  const words = walletWords().credit;
  return (
    <FormDialog
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.open}
        </>
      }
      title={words.title}
      kind="primary"
    >
      {(close) => <CreditForm {...props} close={close} />}
    </FormDialog>
  );
}

interface Draft extends Movement {
  readonly balance: string;
  readonly source: string;
}

function CreditForm({ wallet, summary, close }: CreditProps & { readonly close: () => void }) {
  const words = walletWords().credit;
  const [asset = ""] = assetsOf(summary);
  const [draft, change, clear] = useDraft<Draft>(`credit:${wallet}`, {
    asset,
    amount: "",
    reference: "",
    balance: "main",
    source: "",
  });
  const write = useWrite((given: Draft, options) => credit(wallet, given, options), {
    refresh: [WALLETS_KEY],
    onDone: () => {
      clear();
      close();
    },
  });
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send(draft)}>
      <MovementFields value={draft} onChange={(next) => change({ ...draft, ...next })} />
      <SelectField
        label={words.balance}
        value={draft.balance}
        onChange={(balance) => change({ ...draft, balance })}
        options={summary.balances.map(({ name }) => [name, name])}
        isRequired
      />
      <TextField
        label={words.source}
        value={draft.source}
        onChange={(source) => change({ ...draft, source })}
        hint={words.sourceHint}
        isCode
      />
    </Form>
  );
}

/** Sends a credit. Without a name of a balance, the API credits the main one. */
const credit = (
  wallet: string,
  { amount, asset, reference, balance, source }: Draft,
  call: WriteCall,
) =>
  florin.post(
    "/api/wallets/wallets/{walletID}/credit",
    {
      path: { walletID: wallet },
      body: {
        amount: { amount: parseAmount(amount, asset, locale) ?? 0n, asset },
        ...(reference === "" ? {} : { reference }),
        ...(balance === "main" ? {} : { balance }),
        ...(source === "" ? {} : { sources: [{ type: "ACCOUNT" as const, identifier: source }] }),
      },
    },
    call,
  );
