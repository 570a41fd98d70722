import { FileText } from "lucide-react";
import { ActionItem, ActionMenu } from "#console/parts/base/menu.tsx";
import type { NewestSchema, Template } from "#console/places/numscript/queries.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

/** The templates of the ledger's schema, from which one goes into the editor. */
export function TemplateMenu({
  schema,
  onChoose,
}: {
  readonly schema: NewestSchema;
  readonly onChoose: (template: Template) => void;
}) {
  const words = numscriptWords().template;
  if (schema.templates.length === 0) return <p className="text-note text-muted">{words.none}</p>;
  return (
    <ActionMenu
      label={words.menu}
      trigger={
        <>
          <FileText aria-hidden size={14} />
          {words.menu}
        </>
      }
    >
      {schema.templates.map((template) => (
        <ActionItem key={template.name} onSelect={() => onChoose(template)}>
          <span className="foreign">{template.name}</span>
        </ActionItem>
      ))}
    </ActionMenu>
  );
}
