import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import {
  AccountsFields,
  PoolField,
} from "#console/places/reconciliation/checks/account-fields.tsx";
import { queryOf } from "#console/places/reconciliation/checks/spec.ts";
import { RECONCILIATION_KEY } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";
import { parseJson } from "#platform/json.ts";

const EMPTY = { name: "", ledger: "", accounts: "", poolId: "" };

/** The button and the form of a new policy. */
export function NewPolicy() {
  const words = reconciliationWords().policies;
  return (
    <FormDialog
      kind="primary"
      isWide
      title={words.create}
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.create}
        </>
      }
    >
      {() => <PolicyForm />}
    </FormDialog>
  );
}

function PolicyForm() {
  const { policies: words, fields } = reconciliationWords();
  const navigate = useNavigate();
  const [draft, setDraft, clear] = useDraft("reconciliation.policy", EMPTY);
  const set = (next: Partial<typeof EMPTY>): void => setDraft({ ...draft, ...next });
  const create = useWrite(
    ({ name, ledger, accounts, poolId }: typeof EMPTY, call) =>
      florin.post(
        "/api/reconciliation/policies",
        {
          body: {
            name,
            ledgerName: ledger,
            ledgerQuery: queryOf(accounts, parseJson) ?? {},
            paymentsPoolID: poolId,
          },
        },
        call,
      ),
    {
      refresh: [[...RECONCILIATION_KEY, "policies"]],
      onDone: async ({ data: { id } }) => {
        clear();
        await navigate({ to: "/reconciliation/policies/$id", params: { id } });
      },
    },
  );
  return (
    <Form write={create} submit={words.submit} onSubmit={() => create.send(draft)}>
      <TextField
        label={fields.name}
        value={draft.name}
        onChange={(name) => set({ name })}
        isRequired
      />
      <AccountsFields
        ledger={draft.ledger}
        accounts={draft.accounts}
        accountsHint={words.accountsHint}
        mayBeAll
        onChange={set}
      />
      <PoolField
        poolId={draft.poolId}
        hint={words.ledgerHint}
        onChange={(poolId) => set({ poolId })}
      />
    </Form>
  );
}
