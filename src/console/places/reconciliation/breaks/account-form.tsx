import { useState } from "react";
import { Button } from "#console/parts/base/button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";

/** The input of the account of the side that a booking changes, where the break does not tell which. */
export function AccountForm({
  ledger,
  onAccount,
}: {
  readonly ledger: string;
  readonly onAccount: (account: string) => void;
}) {
  const words = matchingWords().remedy;
  const [account, setAccount] = useState("");
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onAccount(account);
      }}
    >
      <div className="min-w-56 flex-1">
        <TextField
          label={words.account}
          value={account}
          onChange={setAccount}
          hint={words.accountHint(ledger)}
          isRequired
          isCode
        />
      </div>
      <Button type="submit" className="mb-5">
        {words.tryIt}
      </Button>
    </form>
  );
}
