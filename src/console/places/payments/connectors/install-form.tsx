import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { capabilitySentence } from "./capabilities.ts";
import { ConfigInputs } from "./config-inputs.tsx";
import { fieldsIn, type FormValues, toConfig, withoutSecrets } from "./config-values.ts";
import { providerName } from "./provider-names.ts";
import { capabilitiesQuery, type ConfigFields, fieldsQuery } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { Tiles } from "#console/parts/base/choice.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The button and the form of a new connector: first its provider, then what the provider needs. */
export function InstallConnector() {
  const words = paymentWords().install;
  return (
    <FormDialog
      kind="primary"
      isWide
      title={words.open}
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.open}
        </>
      }
    >
      {() => <Providers />}
    </FormDialog>
  );
}

function Providers() {
  const { data, error, refetch } = useQuery(fieldsQuery());
  const [kind, setKind] = useDraft("payments.install.kind", "");
  if (data === undefined) {
    return error === null ? (
      <LoadingRows rows={4} />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  const kinds = Object.keys(data).toSorted((a, b) => a.localeCompare(b));
  const fields = data[kind];
  return (
    <div className="space-y-5">
      <Tiles
        label={paymentWords().install.provider}
        options={kinds.map((each) => [each, providerName(each)])}
        chosen={kind}
        onChoose={setKind}
      />
      {fields !== undefined && <Install key={kind} kind={kind} fields={fields} />}
    </div>
  );
}

function Install({
  kind,
  fields: shape,
}: {
  readonly kind: string;
  readonly fields: ConfigFields;
}) {
  const words = paymentWords().install;
  const fields = fieldsIn(shape);
  const navigate = useNavigate();
  const { data: capabilities } = useQuery(capabilitiesQuery());
  const [draft, setDraft, clearDraft] = useDraft<FormValues>(`payments.install.${kind}`, {
    name: providerName(kind),
  });
  const [secrets, setSecrets] = useState<FormValues>({});
  const values = { ...draft, ...secrets };
  const install = useWrite(
    (body: FormValues, options) =>
      florin.post(
        "/api/payments/v3/connectors/install/{connector}",
        { path: { connector: kind }, body: toConfig(fields, body) },
        options,
      ),
    {
      refresh: [PAYMENTS_KEY],
      onDone: async ({ data: id }) => {
        clearDraft();
        await navigate({ to: "/payments/connectors/$id", params: { id } });
      },
    },
  );
  return (
    <Form write={install} submit={words.submit} onSubmit={() => install.send(values)}>
      <p className="text-muted">{capabilitySentence(capabilities?.[kind] ?? [])}</p>
      <ConfigInputs
        fields={fields}
        values={values}
        onChange={(next) => {
          const open = withoutSecrets(fields, next);
          setDraft(open);
          setSecrets(Object.fromEntries(Object.entries(next).filter(([name]) => !(name in open))));
        }}
      />
    </Form>
  );
}
