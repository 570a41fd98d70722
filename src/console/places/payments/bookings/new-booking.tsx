import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type NewBookingRequest, poolNamesQuery } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { visible } from "#console/parts/language/visible.ts";
import { connectorNamesQuery, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The values of the form. The scope is `connector:` or `pool:` with its id. */
const EMPTY = { scope: "", ledger: "", schemaVersion: "", template: "" };
type Values = typeof EMPTY;
const POOL = "pool:";
const CONNECTOR = "connector:";

/** The button and the form of a new booking. */
export function NewBooking() {
  const words = paymentWords().bookings;
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
  const { bookings: words } = paymentWords();
  const navigate = useNavigate();
  const scopes = useScopes();
  const [values, setValues, clear] = useDraft("payments.booking", EMPTY);
  const set = (next: Partial<Values>): void => setValues({ ...values, ...next });
  const create = useWrite(
    (body: Values, options) =>
      florin.post("/api/florin/v1/payments/bookings", { body: toRequest(body) }, options),
    {
      refresh: [PAYMENTS_KEY],
      onDone: async ({ data: { id } }) => {
        clear();
        await navigate({ to: "/payments/bookings/$id", params: { id } });
      },
    },
  );
  return (
    <Form write={create} submit={words.submit} onSubmit={() => create.send(values)}>
      <p className="text-muted">{words.createMeaning}</p>
      <SelectField
        label={words.whose}
        value={values.scope}
        onChange={(scope) => set({ scope })}
        options={scopes}
        isRequired
      />
      <TextField
        label={words.ledger}
        value={values.ledger}
        onChange={(ledger) => set({ ledger })}
        isRequired
        isCode
      />
      <TextField
        label={words.schemaVersion}
        value={values.schemaVersion}
        onChange={(schemaVersion) => set({ schemaVersion })}
        isRequired
        isCode
      />
      <TextField
        label={words.template}
        value={values.template}
        onChange={(template) => set({ template })}
        isRequired
        isCode
        hint={words.templateHint}
      />
    </Form>
  );
}

/** The connectors and pools to choose from. */
function useScopes(): readonly (readonly [value: string, label: string])[] {
  const { bookings, initiations } = paymentWords();
  const { data: connectors = [] } = useQuery(connectorNamesQuery());
  const { data: pools = [] } = useQuery(poolNamesQuery());
  return [
    ["", initiations.choose],
    ...connectors.map(({ connectorID, name }) => [CONNECTOR + connectorID, visible(name)] as const),
    ...pools.map(({ id, name }) => [POOL + id, visible(bookings.poolName(name))] as const),
  ];
}

const toRequest = ({ scope, ...rules }: Values): NewBookingRequest => ({
  ...rules,
  ...(scope.startsWith(POOL)
    ? { poolID: scope.slice(POOL.length) }
    : { connectorID: scope.slice(CONNECTOR.length) }),
});
