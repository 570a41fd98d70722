import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button } from "#console/parts/base/button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { toInstant } from "#console/parts/time/instant.ts";
import type { ClearingAsked } from "#console/places/reconciliation/queries/clearing.ts";
import { ledgerNamesQuery } from "#console/places/reconciliation/queries/common.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The inputs of a clearing report, which become its URL. */
export function ClearingForm({ asked }: { readonly asked: ClearingAsked }) {
  const words = sourceWords().clearing;
  const navigate = useNavigate();
  const { data: ledgers = [] } = useQuery(ledgerNamesQuery());
  const [ledger, setLedger] = useState(asked.ledger);
  const [account, setAccount] = useState(asked.account);
  const [at, setAt] = useState(toLocal(asked.at));
  const [by, setBy] = useState(asked.by ?? "");
  const show = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({
      to: "/reconciliation/clearing",
      search: {
        ledger,
        account,
        ...(at === "" ? {} : { at: toInstant(at) }),
        ...(by === "" ? {} : { by }),
      },
    });
  };
  return (
    <form onSubmit={show} className="grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
      <TextField
        label={reconciliationWords().fields.ledger}
        value={ledger}
        onChange={setLedger}
        suggestions={ledgers}
        isRequired
        isCode
      />
      <TextField
        label={words.account}
        value={account}
        onChange={setAccount}
        hint={words.accountHint}
        placeholder="clearing:"
        isRequired
        isCode
      />
      <TextField
        label={words.at}
        type="datetime-local"
        value={at}
        onChange={setAt}
        hint={words.atHint}
      />
      <TextField label={words.by} value={by} onChange={setBy} hint={words.byHint} isCode />
      <div>
        <Button type="submit" kind="primary">
          {words.submit}
        </Button>
      </div>
    </form>
  );
}

/** A moment of the URL as the input of the viewer's zone has it. */
function toLocal(at: string | undefined): string {
  const date = new Date(at ?? "");
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
