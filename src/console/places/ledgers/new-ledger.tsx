import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { ledgerWords } from "./words.ts";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";

/** The button and the form of a new ledger. An existing name is an error of the server. */
export function NewLedger() {
  const words = ledgerWords().create;
  return (
    <FormDialog
      kind="primary"
      title={words.open}
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.open}
        </>
      }
    >
      {() => <Fields />}
    </FormDialog>
  );
}

function Fields() {
  const words = ledgerWords().create;
  const navigate = useNavigate();
  const [draft, change, clear] = useDraft("ledgers.create", { name: "", bucket: "" });
  const create = useWrite(
    ({ name: ledger, bucket }: typeof draft, call) =>
      florin.post(
        "/api/ledger/v2/{ledger}",
        { path: { ledger }, body: bucket === "" ? {} : { bucket } },
        call,
      ),
    {
      refresh: [["ledgers"]],
      onDone: async (_, { name: ledger }) => {
        clear();
        await navigate({ to: "/ledgers/$ledger", params: { ledger } });
      },
    },
  );
  return (
    <Form write={create} submit={words.submit} onSubmit={() => create.send(draft)}>
      <TextField
        label={words.name}
        value={draft.name}
        onChange={(name) => change({ ...draft, name })}
        hint={words.hint}
        pattern="[0-9a-zA-Z_\-]{1,63}"
        isCode
        isRequired
      />
      <TextField
        label={ledgerWords().bucket}
        value={draft.bucket}
        onChange={(bucket) => change({ ...draft, bucket })}
        hint={words.bucketHint}
        pattern="[0-9a-zA-Z_\-]{1,63}"
        isCode
      />
    </Form>
  );
}
