import { type SchemaField, fieldsOf } from "./schema-fields.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { developerWords } from "#console/places/developers/words.ts";

/** The fields of a JSON Schema, with their types and meanings. */
export function SchemaView({ schema }: { readonly schema: Readonly<Record<string, unknown>> }) {
  return (
    <ul className="divide-y divide-line rounded-md border border-line">
      {fieldsOf(schema).map((field) => (
        <Field key={field.path} field={field} />
      ))}
    </ul>
  );
}

function Field({
  field: { path, depth, type, isRequired, description },
}: {
  readonly field: SchemaField;
}) {
  const words = developerWords().eventTypes;
  const name = path.slice(path.lastIndexOf(".") + 1);
  return (
    <li className="px-3 py-1.5" style={{ paddingLeft: `${0.75 + depth}rem` }}>
      <p className="flex flex-wrap items-baseline gap-x-2 font-mono text-note">
        <span className="font-medium">
          <Foreign>{name}</Foreign>
        </span>
        <span className="text-muted">
          <Foreign>{type}</Foreign>
        </span>
        {!isRequired && <span className="font-sans text-faint">{words.optional}</span>}
      </p>
      {description !== undefined && (
        <p className="text-note text-muted">
          <Foreign>{description}</Foreign>
        </p>
      )}
    </li>
  );
}
