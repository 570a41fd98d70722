import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { AccountFields, useMenus } from "./account-fields.tsx";
import { EMPTY, toRequest, type InitiationValues } from "./initiation-values.ts";
import { florin } from "#console/api/florin.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { AmountField } from "#console/parts/money/amount-field.tsx";
import { connectorNamesQuery, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { capabilitiesQuery } from "#console/places/payments/connectors/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The button and the form of a new order to move money. It waits for an approval before any money moves. */
export function NewInitiation() {
  const words = paymentWords().initiations;
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
      {() => <Connectors />}
    </FormDialog>
  );
}

/** The form, once it is known which connectors can move money. */
function Connectors() {
  const connectors = useQuery(connectorNamesQuery());
  const capabilities = useQuery(capabilitiesQuery());
  const error = connectors.error ?? capabilities.error;
  if (error !== null) return <Failure error={error} />;
  if (connectors.data === undefined || capabilities.data === undefined) return <LoadingRows />;
  const kinds = capabilities.data;
  const movers = connectors.data.filter(
    ({ status, provider }) =>
      status !== "uninstalling" &&
      (kinds[provider] ?? []).some(
        (each) => each === "CREATE_PAYOUT" || each === "CREATE_TRANSFER",
      ),
  );
  if (movers.length === 0) return <Empty title={paymentWords().initiations.noConnector} />;
  return <Fields movers={movers.map(({ connectorID, name }) => [connectorID, name] as const)} />;
}

function Fields({ movers }: { readonly movers: readonly (readonly [id: string, name: string])[] }) {
  const words = paymentWords();
  const navigate = useNavigate();
  const [values, setValues, clear] = useDraft<InitiationValues>("payments.initiation", EMPTY);
  const set = (next: Partial<InitiationValues>): void => setValues({ ...values, ...next });
  const menus = useMenus(values, movers);
  const create = useWrite(
    (body: InitiationValues, options) =>
      florin.post("/api/payments/v3/payment-initiations", { body: toRequest(body) }, options),
    {
      refresh: [PAYMENTS_KEY],
      onDone: async ({ data: { paymentInitiationID: id } }) => {
        clear();
        await navigate({ to: "/payments/initiations/$id", params: { id } });
      },
    },
  );
  const whole = menus.complete(values);
  return (
    <Form write={create} submit={words.initiations.submit} onSubmit={() => create.send(whole)}>
      <p className="text-muted">{words.initiations.createMeaning}</p>
      <Choice
        label={words.fields.type}
        options={[
          ["PAYOUT", words.initiations.payout],
          ["TRANSFER", words.initiations.transfer],
        ]}
        chosen={values.type}
        onChoose={(type) => set({ type, destination: "" })}
      />
      <AccountFields movers={movers} values={whole} menus={menus} onChange={set} />
      <div className="grid grid-cols-[1fr_7rem] gap-3">
        <AmountField
          label={words.fields.amount}
          value={values.amount}
          onChange={(amount) => set({ amount })}
          asset={whole.asset}
        />
        <TextField
          label={words.fields.asset}
          value={whole.asset}
          onChange={(asset) => set({ asset })}
          isRequired
          isCode
          placeholder="EUR/2"
        />
      </div>
      <More values={values} onChange={set} />
    </Form>
  );
}

/** The inputs that say what the order is called, what it is for, and when it is sent. */
function More({
  values: { reference, description, scheduledAt },
  onChange,
}: {
  readonly values: InitiationValues;
  readonly onChange: (next: Partial<InitiationValues>) => void;
}) {
  const { fields, initiations: words } = paymentWords();
  return (
    <>
      <TextField
        label={fields.reference}
        value={reference}
        onChange={(next) => onChange({ reference: next })}
        isRequired
        isCode
        hint={words.referenceHint}
      />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label={words.description}
          value={description}
          onChange={(next) => onChange({ description: next })}
        />
        <TextField
          label={words.sentAt}
          type="datetime-local"
          value={scheduledAt}
          onChange={(next) => onChange({ scheduledAt: next })}
          hint={words.scheduleHint}
        />
      </div>
    </>
  );
}
