import { useNavigate } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { toInstant } from "#console/parts/time/instant.ts";
import { RECONCILIATION_KEY } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The button and the form that compare the ledger and the pool of a policy, each as of a moment. */
export function RunPolicy({ id }: { readonly id: string }) {
  const words = reconciliationWords().policies;
  return (
    <FormDialog
      kind="primary"
      title={words.runTitle}
      trigger={
        <>
          <RotateCw aria-hidden size={14} />
          {words.run}
        </>
      }
    >
      {() => <RunForm id={id} />}
    </FormDialog>
  );
}

function RunForm({ id }: { readonly id: string }) {
  const words = reconciliationWords().policies;
  const navigate = useNavigate();
  const [ledgerAt, setLedgerAt] = useState(localNow);
  const [paymentsAt, setPaymentsAt] = useState(ledgerAt);
  const write = useWrite(
    (body: { readonly reconciledAtLedger: string; readonly reconciledAtPayments: string }, call) =>
      florin.post(
        "/api/reconciliation/policies/{policyID}/reconciliation",
        { path: { policyID: id }, body },
        call,
      ),
    {
      refresh: [[...RECONCILIATION_KEY, "policy", id]],
      onDone: async ({ data }) => {
        await navigate({ to: "/reconciliation/reconciliations/$id", params: { id: data.id } });
      },
    },
  );
  const send = (): void =>
    write.send({
      reconciledAtLedger: toInstant(ledgerAt),
      reconciledAtPayments: toInstant(paymentsAt),
    });
  return (
    <Form write={write} submit={words.runSubmit} onSubmit={send}>
      <TextField
        label={words.atLedger}
        type="datetime-local"
        value={ledgerAt}
        onChange={setLedgerAt}
        hint={words.atLedgerHint}
        check={isPast}
        isRequired
      />
      <TextField
        label={words.atPayments}
        type="datetime-local"
        value={paymentsAt}
        onChange={setPaymentsAt}
        hint={words.atPaymentsHint}
        check={isPast}
        isRequired
      />
    </Form>
  );
}

/** The sentence for a time that has not come yet. */
const isPast = (text: string): string | null =>
  Date.parse(toInstant(text)) > Date.now() ? reconciliationWords().policies.past : null;

/** Digits of a time to the minute: `2026-11-27T14:05`. */
const MINUTE_LENGTH = 16;
const MINUTE_MS = 60_000;

/** The minute that has begun, in the viewer's zone, as an input has it. */
function localNow(): string {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, MINUTE_LENGTH);
}
