import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { NewPoolRequest } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { connectorNamesQuery, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

interface Values {
  readonly name: string;
  readonly type: "STATIC" | "DYNAMIC";
  readonly asset: string;
  readonly connector: string;
}

const EMPTY: Values = { name: "", type: "STATIC", asset: "", connector: "" };

/** The button and the form of a new pool: of chosen accounts, or of all that fit a rule. */
export function NewPool() {
  const words = paymentWords().pools;
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
  const { fields, pools: words } = paymentWords();
  const navigate = useNavigate();
  const { data: connectors = [] } = useQuery(connectorNamesQuery());
  const [values, setValues, clear] = useDraft("payments.pool", EMPTY);
  const set = (next: Partial<Values>): void => setValues({ ...values, ...next });
  const create = useWrite(
    (body: Values, options) =>
      florin.post("/api/payments/v3/pools", { body: toRequest(body) }, options),
    {
      refresh: [PAYMENTS_KEY],
      onDone: async ({ data: id }) => {
        clear();
        await navigate({ to: "/payments/pools/$id", params: { id } });
      },
    },
  );
  const isDynamic = values.type === "DYNAMIC";
  return (
    <Form write={create} submit={words.submit} onSubmit={() => create.send(values)}>
      <TextField
        label={fields.name}
        value={values.name}
        onChange={(name) => set({ name })}
        isRequired
      />
      <Choice
        label={fields.type}
        options={[
          ["STATIC", words.type.STATIC],
          ["DYNAMIC", words.type.DYNAMIC],
        ]}
        chosen={values.type}
        onChoose={(type) => set({ type })}
      />
      <p className="text-muted">{isDynamic ? words.dynamicMeaning : words.staticMeaning}</p>
      {isDynamic && (
        <>
          <TextField
            label={fields.asset}
            value={values.asset}
            onChange={(asset) => set({ asset })}
            isRequired={values.connector === ""}
            isCode
            placeholder="EUR/2"
          />
          <SelectField
            label={fields.connector}
            value={values.connector}
            onChange={(connector) => set({ connector })}
            options={[
              ["", words.anyConnector],
              ...connectors.map(({ connectorID, name }) => [connectorID, name] as const),
            ]}
          />
        </>
      )}
    </Form>
  );
}

/** The request of the form. A pool of chosen accounts begins without any; its page adds them. */
function toRequest({ name, type, asset, connector }: Values): NewPoolRequest {
  if (type === "STATIC") return { name, accountIDs: [] };
  const conditions = [
    ...(asset === "" ? [] : [{ $match: { default_asset: asset } }]),
    ...(connector === "" ? [] : [{ $match: { connector_id: connector } }]),
  ];
  const [first, ...others] = conditions;
  const query: Readonly<Record<string, unknown>> =
    first !== undefined && others.length === 0 ? first : { $and: conditions };
  return { name, query: query as NonNullable<NewPoolRequest["query"]> }; // The document names no members of filters.
}
