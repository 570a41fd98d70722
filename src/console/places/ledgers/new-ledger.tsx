import { Dialog } from "@base-ui/react/dialog";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ledgerWords } from "./words.ts";
import { florin } from "#console/api/florin.ts";
import { Button, buttonClass } from "#console/parts/base/button.tsx";
import { DialogFrame } from "#console/parts/base/dialog.tsx";
import { Failure } from "#console/parts/base/states.tsx";

/** The button and the form of a new ledger. A second click sends nothing, and an existing name is an error of the server. */
export function NewLedger() {
  const words = ledgerWords().create;
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => florin.post("/api/ledger/v2/{ledger}", { path: { ledger: name }, body: {} }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["ledgers"] });
      await navigate({ to: "/ledgers/$ledger", params: { ledger: name } });
    },
  });
  return (
    <Dialog.Root>
      <Dialog.Trigger className={buttonClass("primary")}>
        <Plus aria-hidden size={14} />
        {words.open}
      </Dialog.Trigger>
      <DialogFrame title={words.open}>
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (!create.isPending) create.mutate();
          }}
        >
          <label className="block space-y-1">
            <span className="text-muted">{words.name}</span>
            <input
              required
              autoComplete="off"
              pattern="[0-9a-zA-Z_\-]{1,63}"
              value={name}
              onChange={({ target }) => setName(target.value)}
              className="h-9 w-full rounded-md border border-line-strong bg-canvas px-2 font-mono"
            />
            <span className="block text-note text-muted">{words.hint}</span>
          </label>
          {create.error !== null && <Failure error={create.error} />}
          <div className="flex justify-end">
            <Button type="submit" kind="primary" disabled={create.isPending}>
              {words.submit}
            </Button>
          </div>
        </form>
      </DialogFrame>
    </Dialog.Root>
  );
}
