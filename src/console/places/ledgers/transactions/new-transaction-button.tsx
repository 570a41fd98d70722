import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { emptyDraft, sendTransaction, type TransactionDraft } from "./new-transaction.ts";
import { Preview } from "./preview.tsx";
import { MetadataLines, PostingLines } from "./transaction-lines.tsx";
import { may } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** The button and the form of a new transaction: what was typed is kept, shown as a dry run, and then committed. */
export function NewTransaction({ ledger }: { readonly ledger: string }) {
  const words = ledgerWords().newTransaction;
  if (!may("ledger:write")) return null;
  return (
    <FormDialog
      kind="primary"
      isWide
      title={words.open}
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.open}
        </>
      }
    >
      {(close) => <Steps ledger={ledger} close={close} />}
    </FormDialog>
  );
}

/** A dry run, and the draft that it is of. */
interface Tried {
  readonly draft: TransactionDraft;
  readonly transaction: Transaction;
}

function Steps({ ledger, close }: { readonly ledger: string; readonly close: () => void }) {
  const [draft, change, clear] = useDraft(`transaction:${ledger}`, emptyDraft());
  const [tried, setTried] = useState<Tried>();
  const navigate = useNavigate();
  const dryRun = useWrite(
    (input: TransactionDraft, call) => sendTransaction({ ledger, isDryRun: true }, input, call),
    { onDone: (transaction, input) => setTried({ draft: input, transaction }) },
  );
  const commit = useWrite(
    (input: TransactionDraft, call) => sendTransaction({ ledger, isDryRun: false }, input, call),
    {
      refresh: [["ledgers", ledger]],
      onDone: async ({ id }) => {
        clear();
        close();
        const to = "/ledgers/$ledger/transactions";
        await navigate({ to, params: { ledger }, search: { open: String(id) } });
      },
    },
  );
  const words = ledgerWords().newTransaction;
  if (tried !== undefined) {
    return (
      <Form
        write={commit}
        submit={words.commit}
        onSubmit={() => commit.send(tried.draft)}
        actions={
          <Button
            onClick={() => {
              commit.reset();
              setTried(undefined);
            }}
          >
            {words.back}
          </Button>
        }
      >
        <Preview ledger={ledger} transaction={tried.transaction} />
      </Form>
    );
  }
  return (
    <Form write={dryRun} submit={words.preview} onSubmit={() => dryRun.send(draft)}>
      <Fields draft={draft} onChange={change} />
    </Form>
  );
}

interface FieldsProps {
  readonly draft: TransactionDraft;
  readonly onChange: (draft: TransactionDraft) => void;
}

function Fields({ draft, onChange }: FieldsProps) {
  const words = ledgerWords().newTransaction;
  return (
    <>
      <PostingLines
        lines={draft.postings}
        onChange={(postings) => onChange({ ...draft, postings })}
      />
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        <TextField
          label={ledgerWords().detail.reference}
          hint={words.referenceHint}
          value={draft.reference}
          onChange={(reference) => onChange({ ...draft, reference })}
          isCode
        />
        <TextField
          label={ledgerWords().detail.effective}
          hint={words.timestampHint}
          type="datetime-local"
          value={draft.timestamp}
          onChange={(timestamp) => onChange({ ...draft, timestamp })}
        />
      </div>
      <MetadataLines
        lines={draft.metadata}
        onChange={(metadata) => onChange({ ...draft, metadata })}
      />
    </>
  );
}
