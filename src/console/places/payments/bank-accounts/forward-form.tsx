import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { SelectField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { connectorNamesQuery } from "#console/places/payments/common/queries.ts";
import { TaskProgress } from "#console/places/payments/common/task-progress.tsx";
import { capabilitiesQuery } from "#console/places/payments/connectors/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The button and the form that make a bank account known to a provider, so that money can be sent to it. */
export function ForwardBankAccount({ id }: { readonly id: string }) {
  const words = paymentWords().bankAccounts;
  return (
    <FormDialog trigger={words.forward} title={words.forward}>
      {(close) => <Connectors id={id} close={close} />}
    </FormDialog>
  );
}

interface FormProps {
  readonly id: string;
  readonly close: () => void;
}

function Connectors({ id, close }: FormProps) {
  const connectors = useQuery(connectorNamesQuery());
  const capabilities = useQuery(capabilitiesQuery());
  const error = connectors.error ?? capabilities.error;
  if (error !== null) return <Failure error={error} />;
  if (connectors.data === undefined || capabilities.data === undefined) return <LoadingRows />;
  const kinds = capabilities.data;
  const able = connectors.data.filter(({ provider }) =>
    kinds[provider]?.includes("CREATE_BANK_ACCOUNT"),
  );
  if (able.length === 0) return <Empty title={paymentWords().bankAccounts.noConnector} />;
  const options = able.map(({ connectorID, name }) => [connectorID, name] as const);
  return <Fields id={id} close={close} options={options} />;
}

function Fields({
  id,
  close,
  options,
}: FormProps & { readonly options: readonly (readonly [id: string, name: string])[] }) {
  const { fields, bankAccounts: words, initiations } = paymentWords();
  const [connector, setConnector] = useState("");
  const forward = useWrite((connectorID: string, callOptions) =>
    florin.post(
      "/api/payments/v3/bank-accounts/{bankAccountID}/forward",
      { path: { bankAccountID: id }, body: { connectorID } },
      callOptions,
    ),
  );
  return (
    <Form write={forward} submit={words.forwardSubmit} onSubmit={() => forward.send(connector)}>
      <p className="text-muted">{words.forwardMeaning}</p>
      <SelectField
        label={fields.connector}
        value={connector}
        onChange={setConnector}
        options={[["", initiations.choose], ...options]}
        isRequired
      />
      {forward.output !== undefined && (
        <TaskProgress id={forward.output.data.taskID} onDone={close} />
      )}
    </Form>
  );
}
