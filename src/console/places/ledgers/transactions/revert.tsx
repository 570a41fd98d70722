import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { Preview } from "./preview.tsx";
import type { WriteCall } from "#console/api/client.ts";
import { florin, may } from "#console/api/florin.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { SwitchField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

interface RevertOptions {
  readonly atEffectiveDate: boolean;
  readonly force: boolean;
}

interface RevertProps {
  readonly ledger: string;
  readonly transaction: Transaction;
}

/** The button that reverts a transaction, after a preview. Nothing is offered for a transaction that is reverted already, or has moved nothing. */
export function Revert(props: RevertProps) {
  const words = ledgerWords().revert;
  const { reverted, postings } = props.transaction;
  if (reverted || postings.length === 0 || !may("ledger:write")) return null;
  return (
    <FormDialog
      trigger={
        <>
          <Undo2 aria-hidden size={14} />
          {words.open}
        </>
      }
      title={words.title(String(props.transaction.id))}
      isWide
    >
      {(close) => <RevertForm {...props} close={close} />}
    </FormDialog>
  );
}

function RevertForm({ ledger, transaction, close }: RevertProps & { readonly close: () => void }) {
  const words = ledgerWords().revert;
  const navigate = useNavigate();
  const id = String(transaction.id);
  const [options, setOptions] = useState<RevertOptions>({ atEffectiveDate: false, force: false });
  const preview = useQuery(previewQuery(ledger, id, options));
  const write = useWrite((input: RevertOptions, call) => sendRevert({ ledger, id }, input, call), {
    refresh: [["ledgers", ledger]],
    onDone: async (made) => {
      close();
      const target = { ledger, id: String(made.id) };
      await navigate({ to: "/ledgers/$ledger/transactions/$id", params: target });
    },
  });
  const isReady = preview.isSuccess && !preview.isPlaceholderData;
  return (
    <Form
      write={{ isSending: write.isSending || !isReady, error: write.error }}
      submit={words.submit}
      isRisky
      onSubmit={() => write.send(options)}
    >
      <p className="text-muted">{words.what}</p>
      <SwitchField
        label={words.atEffectiveDate}
        hint={words.atEffectiveDateHint}
        value={options.atEffectiveDate}
        onChange={(atEffectiveDate) => setOptions({ ...options, atEffectiveDate })}
      />
      <SwitchField
        label={words.force}
        hint={words.forceHint}
        value={options.force}
        onChange={(force) => setOptions({ ...options, force })}
      />
      {preview.isError && (
        <div className="-mx-4">
          <Failure error={preview.error} title={words.refused} />
        </div>
      )}
      {preview.isLoading && <LoadingRows rows={3} />}
      {preview.isSuccess && <Preview ledger={ledger} transaction={preview.data} />}
    </Form>
  );
}

const REVERT = "/api/ledger/v2/{ledger}/transactions/{id}/revert";

/** The revert as a dry run, which is read anew with each choice; not after the revert, when it would be refused. */
const previewQuery = (ledger: string, id: string, options: RevertOptions) =>
  queryOptions({
    queryKey: ["revert-preview", ledger, id, options],
    queryFn: async ({ signal }) => {
      const input = { path: { ledger, id }, query: { ...options, dryRun: true }, body: {} };
      return (await florin.ask(REVERT, input, { signal })).data;
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

async function sendRevert(
  path: { readonly ledger: string; readonly id: string },
  query: RevertOptions,
  call: WriteCall,
): Promise<Transaction> {
  return (await florin.post(REVERT, { path, query, body: {} }, call)).data;
}
