import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The values of the form. Numbers of accounts are no part of a draft. */
const EMPTY = { name: "", iban: "", accountNumber: "", swiftBicCode: "", country: "" };

type NewAccount = Partial<typeof EMPTY> & Pick<typeof EMPTY, "name">;

/** The button and the form of a new bank account. */
export function NewBankAccount() {
  const words = paymentWords().bankAccounts;
  return (
    <FormDialog
      kind="primary"
      title={words.create}
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.create}
        </>
      }
    >
      {() => <Fields />}
    </FormDialog>
  );
}

function Fields() {
  const { fields, bankAccounts: words } = paymentWords();
  const navigate = useNavigate();
  const [values, setValues] = useState(EMPTY);
  const set = (next: Partial<typeof EMPTY>): void => setValues({ ...values, ...next });
  const create = useWrite(
    (body: NewAccount, options) => florin.post("/api/payments/v3/bank-accounts", { body }, options),
    {
      refresh: [PAYMENTS_KEY],
      onDone: ({ data: id }) => navigate({ to: "/payments/bank-accounts/$id", params: { id } }),
    },
  );
  return (
    <Form write={create} submit={words.submit} onSubmit={() => create.send(given(values))}>
      <TextField
        label={fields.name}
        value={values.name}
        onChange={(name) => set({ name })}
        isRequired
      />
      <TextField
        label={words.iban}
        value={values.iban}
        onChange={(iban) => set({ iban })}
        isCode
        isRequired={values.accountNumber === ""}
        hint={words.ibanHint}
      />
      <TextField
        label={words.accountNumber}
        value={values.accountNumber}
        onChange={(accountNumber) => set({ accountNumber })}
        isCode
      />
      <TextField
        label={words.bic}
        value={values.swiftBicCode}
        onChange={(swiftBicCode) => set({ swiftBicCode })}
        isCode
      />
      <TextField
        label={words.country}
        value={values.country}
        onChange={(country) => set({ country })}
        isCode
        pattern="[A-Z]{2}"
        placeholder="FR"
      />
    </Form>
  );
}

/** The values that are not empty. Spaces of printed numbers are left out. */
function given({ name, ...numbers }: typeof EMPTY): NewAccount {
  const entries = Object.entries(numbers)
    .map(([key, text]): [string, string] => [key, text.replaceAll(/\s/g, "")])
    .filter(([, text]) => text !== "");
  return { name: name.trim(), ...Object.fromEntries(entries) };
}
