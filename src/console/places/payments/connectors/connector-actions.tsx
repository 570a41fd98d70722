import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfigInputs } from "./config-inputs.tsx";
import { fieldsIn, type FormValues, toConfig, toFormValues } from "./config-values.ts";
import {
  type ConnectorConfig,
  type ConfigFields,
  configQuery,
  fieldsQuery,
  type ConnectorHealth,
} from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { TaskProgress } from "#console/places/payments/common/task-progress.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** What can be done with a connector. */
export const ConnectorActions = ({ health }: { readonly health: ConnectorHealth }) => (
  <>
    <FormDialog isWide trigger={paymentWords().connectors.change} title={health.name}>
      {(close) => <ChangeConfig health={health} close={close} />}
    </FormDialog>
    <Reset health={health} />
    <Uninstall health={health} />
  </>
);

function ChangeConfig({
  health: { connectorID, provider },
  close,
}: {
  readonly health: ConnectorHealth;
  readonly close: () => void;
}) {
  const { data: config, error, refetch } = useQuery(configQuery(connectorID));
  const { data: shapes } = useQuery(fieldsQuery());
  const shape = shapes?.[provider];
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (config === undefined || shape === undefined) return <LoadingRows rows={4} />;
  return <ConfigForm id={connectorID} config={config} shape={shape} close={close} />;
}

function ConfigForm({
  id,
  config,
  shape,
  close,
}: {
  readonly id: string;
  readonly config: ConnectorConfig;
  readonly shape: ConfigFields;
  readonly close: () => void;
}) {
  const words = paymentWords().connectors;
  const fields = fieldsIn(shape);
  const [values, setValues] = useState(() => toFormValues(fields, config));
  const change = useWrite(
    (body: FormValues, options) =>
      florin.patch(
        "/api/payments/v3/connectors/{connectorID}/config",
        { path: { connectorID: id }, body: toConfig(fields, body, config) },
        options,
      ),
    { refresh: [PAYMENTS_KEY], onDone: close },
  );
  return (
    <Form write={change} submit={words.save} onSubmit={() => change.send(values)}>
      <p className="text-muted">{words.changeMeaning}</p>
      <ConfigInputs fields={fields} values={values} onChange={setValues} keepsSecrets />
    </Form>
  );
}

function Reset({ health: { connectorID: id, name } }: { readonly health: ConnectorHealth }) {
  const words = paymentWords().connectors;
  const navigate = useNavigate();
  const reset = useWrite((_: undefined, options) =>
    florin.post(
      "/api/payments/v3/connectors/{connectorID}/reset",
      { path: { connectorID: id } },
      options,
    ),
  );
  return (
    <ConfirmButton
      trigger={words.reset}
      title={words.resetTitle(name)}
      submit={words.reset}
      write={reset}
      onConfirm={() => reset.send(undefined)}
    >
      <p>{words.resetMeaning}</p>
      <p className="text-muted">{words.resetStays}</p>
      {reset.output !== undefined && (
        <TaskProgress
          id={reset.output.data}
          onDone={({ createdObjectID }) =>
            void navigate(
              createdObjectID === undefined
                ? { to: "/payments/connectors" }
                : { to: "/payments/connectors/$id", params: { id: createdObjectID } },
            )
          }
        />
      )}
    </ConfirmButton>
  );
}

function Uninstall({ health: { connectorID: id, name } }: { readonly health: ConnectorHealth }) {
  const words = paymentWords().connectors;
  const navigate = useNavigate();
  const uninstall = useWrite(
    (_: undefined, options) =>
      florin.delete(
        "/api/payments/v3/connectors/{connectorID}",
        { path: { connectorID: id } },
        options,
      ),
    {
      refresh: [[...PAYMENTS_KEY, "connectors"]],
      onDone: () => navigate({ to: "/payments/connectors" }),
    },
  );
  return (
    <ConfirmButton
      trigger={words.uninstall}
      title={words.uninstallTitle(name)}
      submit={words.uninstall}
      write={uninstall}
      onConfirm={() => uninstall.send(undefined)}
    >
      <p>{words.uninstallMeaning}</p>
      <p className="text-muted">{words.uninstallStays}</p>
    </ConfirmButton>
  );
}
