import { useQuery } from "@tanstack/react-query";
import { fieldLabel } from "./config-inputs.tsx";
import { type ConfigField, fieldsIn } from "./config-values.ts";
import { configQuery, fieldsQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** The configuration of a connector. Secrets are dots, also for those who may read them. */
export function ConfigSection({
  id,
  provider,
}: {
  readonly id: string;
  readonly provider: string;
}) {
  const words = paymentWords();
  const { data: config, error, refetch } = useQuery(configQuery(id));
  const { data: shapes } = useQuery(fieldsQuery());
  const shape = shapes?.[provider];
  return (
    <Section title={words.connectors.config}>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {config !== undefined && shape !== undefined && (
        <Facts>
          {fieldsIn(shape).map((field) => (
            <Fact key={field.name} name={fieldLabel(field.name)}>
              <Value field={field} value={config[field.name]} />
            </Fact>
          ))}
        </Facts>
      )}
    </Section>
  );
}

function Value({
  field: { name, isSecret },
  value = "",
}: {
  readonly field: ConfigField;
  readonly value: string | number | boolean | undefined;
}) {
  const words = paymentWords().connectors;
  if (value === "") return <span className="text-faint">{words.notSet}</span>;
  if (isSecret) return <span aria-label={words.secret}>••••••••</span>;
  if (typeof value === "boolean") return value ? words.on : words.off;
  return (
    <span className={name === "name" ? "" : "font-mono text-note"}>
      <Foreign>{String(value)}</Foreign>
    </span>
  );
}
