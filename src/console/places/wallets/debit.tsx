import { Minus } from "lucide-react";
import { assetsOf, type Movement, MovementFields } from "./movement-fields.tsx";
import { type Summary, WALLETS_KEY } from "./queries.ts";
import { walletWords } from "./words.ts";
import type { WriteCall } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { SelectField, SwitchField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { locale } from "#console/parts/language/words.ts";
import { parseAmount } from "#console/parts/money/parse-amount.ts";

interface DebitProps {
  readonly wallet: string;
  readonly summary: Summary;
}

/** The button and the form that move money out of a wallet, or into a hold. */
export function Debit(props: DebitProps) {
  const words = walletWords().debit;
  return (
    <FormDialog
      trigger={
        <>
          <Minus aria-hidden size={14} />
          {words.open}
        </>
      }
      title={words.title}
    >
      {(close) => <DebitForm {...props} close={close} />}
    </FormDialog>
  );
}

interface Draft extends Movement {
  readonly balance: string;
  readonly destination: string;
  readonly pending: boolean;
  readonly description: string;
  readonly expiresAt: string;
}

/** Stands for all balances, in the order in which they are spent. */
const ALL = "*";

const FIRST: Omit<Draft, "asset"> = {
  amount: "",
  reference: "",
  balance: "main",
  destination: "",
  pending: false,
  description: "",
  expiresAt: "",
};

function DebitForm({ wallet, summary, close }: DebitProps & { readonly close: () => void }) {
  const words = walletWords().debit;
  const { balances } = summary;
  const [asset = ""] = assetsOf(summary);
  const [draft, change, clear] = useDraft<Draft>(`debit:${wallet}`, { ...FIRST, asset });
  const write = useWrite(
    (given: Draft, call) =>
      debit(wallet, given, isRepeatable(summary, given) ? call : call.withKey(undefined)),
    {
      refresh: [WALLETS_KEY],
      onDone: () => {
        clear();
        close();
      },
    },
  );
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send(draft)}>
      <MovementFields value={draft} onChange={(next) => change({ ...draft, ...next })} />
      <SelectField
        label={words.balance}
        value={draft.balance}
        onChange={(balance) => change({ ...draft, balance })}
        options={[
          ...balances.map(({ name }) => [name, name] as const),
          ...(balances.length > 1 ? [[ALL, words.all] as const] : []),
        ]}
        isRequired
      />
      <TextField
        label={words.destination}
        value={draft.destination}
        onChange={(destination) => change({ ...draft, destination })}
        hint={words.destinationHint}
        isCode
      />
      <SwitchField
        label={words.pending}
        value={draft.pending}
        onChange={(pending) => change({ ...draft, pending })}
        hint={words.pendingHint}
      />
      {draft.pending && <HoldFields draft={draft} change={change} />}
    </Form>
  );
}

function HoldFields({
  draft,
  change,
}: {
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
}) {
  const words = walletWords().debit;
  return (
    <>
      <TextField
        label={words.description}
        value={draft.description}
        onChange={(description) => change({ ...draft, description })}
      />
      <TextField
        label={words.expires}
        value={draft.expiresAt}
        onChange={(expiresAt) => change({ ...draft, expiresAt })}
        type="datetime-local"
      />
    </>
  );
}

/** Whether a debit may have an idempotency key: the API refuses one where a repetition could take from other balances. */
const isRepeatable = ({ balances }: Summary, { balance }: Draft): boolean =>
  balances.some(({ name, expiresAt }) => name === balance && expiresAt === null);

function debit(
  wallet: string,
  { amount, asset, reference, balance, destination, pending, description, expiresAt }: Draft,
  call: WriteCall,
) {
  const hold = {
    pending: true,
    ...(description === "" ? {} : { description }),
    ...(expiresAt === "" ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
  return florin.post(
    "/api/wallets/wallets/{walletID}/debit",
    {
      path: { walletID: wallet },
      body: {
        amount: { amount: parseAmount(amount, asset, locale) ?? 0n, asset },
        balances: [balance],
        ...(reference === "" ? {} : { reference }),
        ...(destination === ""
          ? {}
          : { destination: { type: "ACCOUNT" as const, identifier: destination } }),
        ...(pending ? hold : {}),
      },
    },
    call,
  );
}
