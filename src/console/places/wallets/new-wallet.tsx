import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { WALLETS_KEY } from "./queries.ts";
import { walletWords } from "./words.ts";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";

/** The button and the form of a new wallet. */
export function NewWallet() {
  const words = walletWords().create;
  return (
    <FormDialog
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.open}
        </>
      }
      title={words.open}
      kind="primary"
    >
      {(close) => <WalletForm close={close} />}
    </FormDialog>
  );
}

function WalletForm({ close }: { readonly close: () => void }) {
  const words = walletWords().create;
  const navigate = useNavigate();
  const [name, setName, clear] = useDraft("new-wallet", "");
  const write = useWrite(
    (
      body: { readonly name: string; readonly metadata: Readonly<Record<string, string>> },
      options,
    ) => florin.post("/api/wallets/wallets", { body }, options),
    {
      refresh: [[...WALLETS_KEY, "list"]],
      onDone: async ({ data }) => {
        clear();
        close();
        await navigate({ to: "/wallets/$id", params: { id: data.id } });
      },
    },
  );
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send({ name, metadata: {} })}>
      <TextField label={words.name} value={name} onChange={setName} hint={words.hint} isRequired />
    </Form>
  );
}
