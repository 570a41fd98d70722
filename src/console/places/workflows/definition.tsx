import { useState } from "react";
import type { Workflow } from "./queries.ts";
import { workflowWords } from "./words.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { JsonView, TextView } from "#console/parts/base/json-view.tsx";
import { toYaml } from "#console/parts/base/yaml.ts";

const FORMATS = [
  ["yaml", "YAML"],
  ["json", "JSON"],
] as const;

/** The definition of a workflow, to read and to copy. */
export function DefinitionView({ config }: Pick<Workflow, "config">) {
  const words = workflowWords().detail;
  const [format, setFormat] = useState<"yaml" | "json">("yaml");
  return (
    <Section
      title={words.definition}
      actions={
        <Choice label={words.definition} options={FORMATS} chosen={format} onChoose={setFormat} />
      }
    >
      {format === "yaml" ? (
        <TextView text={toYaml(config)} what="YAML" />
      ) : (
        <JsonView value={config} />
      )}
    </Section>
  );
}
