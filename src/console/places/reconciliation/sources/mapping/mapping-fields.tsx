import { COLUMN_ROLES, type ColumnRole, type MappingDraft } from "./mapping-draft.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { SelectField, SwitchField, TextField } from "#console/parts/forms/fields.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

interface MappingProps {
  readonly draft: MappingDraft;
  /** The columns that the file has: the names of its header, or numbers. */
  readonly columns: readonly string[];
  readonly onChange: (draft: MappingDraft) => void;
}

const DATE_FORMATS = [
  "YYYY-MM-DD",
  "DD.MM.YYYY",
  "DD.MM.YY",
  "DD/MM/YYYY",
  "MM/DD/YYYY",
  "YYYYMMDD",
];
/** The columns that most files have; the others are behind a line that opens. */
const FIRST_ROLES: readonly ColumnRole[] = [
  "date",
  "valueDate",
  "currency",
  "name",
  "account",
  "endToEndId",
];

/** The inputs of how a CSV file is read. */
export function MappingFields(props: MappingProps) {
  const { draft, columns, onChange } = props;
  const words = sourceWords().mapping;
  const set = (next: Partial<MappingDraft>): void => onChange({ ...draft, ...next });
  const setColumn = (role: ColumnRole, name: string): void =>
    set({ columns: { ...draft.columns, [role]: name } });
  const others = COLUMN_ROLES.filter((role) => !FIRST_ROLES.includes(role));
  return (
    <div className="space-y-4">
      <FormFields {...props} />
      <AmountFields {...props} />
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {FIRST_ROLES.map((role) => (
          <ColumnField
            key={role}
            label={words.role[role]}
            value={draft.columns[role]}
            columns={columns}
            isRequired={role === "date"}
            onChange={(name) => setColumn(role, name)}
          />
        ))}
        <TextField
          label={words.asset}
          value={draft.asset}
          onChange={(asset) => set({ asset })}
          hint={words.assetHint}
          placeholder="EUR"
          isCode
        />
        <TextField
          label={words.role.text}
          value={draft.text}
          onChange={(text) => set({ text })}
          hint={words.textHint}
          suggestions={columns.map(visible)}
        />
      </div>
      <details className="group">
        <summary className="cursor-pointer text-accent">{words.more}</summary>
        <div className="mt-3 grid grid-cols-2 gap-3 sm:grid-cols-3">
          {others.map((role) => (
            <ColumnField
              key={role}
              label={words.role[role]}
              value={draft.columns[role]}
              columns={columns}
              onChange={(name) => setColumn(role, name)}
            />
          ))}
        </div>
      </details>
    </div>
  );
}

/** How the file separates what it has: delimiter, header, dates and numbers. */
function FormFields({ draft, onChange }: MappingProps) {
  const words = sourceWords().mapping;
  const set = (next: Partial<MappingDraft>): void => onChange({ ...draft, ...next });
  return (
    <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-3">
      <SelectField
        label={words.delimiter}
        value={draft.delimiter}
        isRequired
        onChange={(delimiter) => set({ delimiter })}
        options={[";", ",", "\t", "|"].map((sign) => [sign, words.delimiterName(sign)] as const)}
      />
      <TextField
        label={words.dateFormat}
        value={draft.dateFormat}
        onChange={(dateFormat) => set({ dateFormat })}
        suggestions={DATE_FORMATS}
        isRequired
        isCode
      />
      <TextField
        label={words.skipLines}
        type="number"
        value={draft.skipLines}
        onChange={(skipLines) => set({ skipLines })}
      />
      <SelectField
        label={words.decimalSign}
        value={draft.decimalSign}
        isRequired
        onChange={(decimalSign) => set({ decimalSign })}
        options={[
          [".", "1234.56"],
          [",", "1234,56"],
        ]}
      />
      <SelectField
        label={words.thousandsSign}
        value={draft.thousandsSign}
        isRequired
        onChange={(thousandsSign) => set({ thousandsSign })}
        options={[
          ["", words.noSign],
          [".", "1.234"],
          [",", "1,234"],
          ["'", "1'234"],
          [" ", "1 234"],
        ]}
      />
      <div className="self-center">
        <SwitchField
          label={words.header}
          value={draft.hasHeader}
          onChange={(hasHeader) => set({ hasHeader })}
        />
      </div>
    </div>
  );
}

/** Where amounts are, and where their sign is. */
function AmountFields({ draft, columns, onChange }: MappingProps) {
  const words = sourceWords().mapping;
  const set = (next: Partial<MappingDraft>): void => onChange({ ...draft, ...next });
  const field = (name: "amount" | "credit" | "debit" | "word") => (
    <ColumnField
      label={words.sign[name]}
      value={draft[name]}
      columns={columns}
      isRequired
      onChange={(column) => set({ [name]: column })}
    />
  );
  return (
    <fieldset className="space-y-3 rounded-md border border-line p-4">
      <legend className="px-1 text-muted">{words.amounts}</legend>
      <Choice
        label={words.amounts}
        options={(["amount", "columns", "word"] as const).map((rule) => [rule, words.rule[rule]])}
        chosen={draft.sign}
        onChoose={(sign) => set({ sign })}
      />
      <div className="grid grid-cols-2 gap-3">
        {draft.sign === "columns" ? (
          <>
            {field("credit")}
            {field("debit")}
          </>
        ) : (
          field("amount")
        )}
        {draft.sign === "word" && (
          <>
            {field("word")}
            <TextField
              label={words.creditWords}
              value={draft.creditWords}
              onChange={(creditWords) => set({ creditWords })}
              placeholder="C, credit"
              isRequired
            />
            <TextField
              label={words.debitWords}
              value={draft.debitWords}
              onChange={(debitWords) => set({ debitWords })}
              placeholder="D, debit"
              isRequired
            />
          </>
        )}
      </div>
      {draft.sign === "amount" && (
        <SwitchField
          label={words.negate}
          value={draft.negate}
          onChange={(negate) => set({ negate })}
        />
      )}
    </fieldset>
  );
}

/** One of the columns of the file. A column that it does not have, because the mapping is of another file, stays chosen. */
function ColumnField({
  label,
  value,
  columns,
  isRequired = false,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly columns: readonly string[];
  readonly isRequired?: boolean;
  readonly onChange: (name: string) => void;
}) {
  const all = value === "" || columns.includes(value) ? columns : [value, ...columns];
  return (
    <SelectField
      label={label}
      value={value}
      onChange={onChange}
      isRequired={isRequired}
      options={[
        ["", sourceWords().mapping.noColumn],
        ...[...new Set(all)].map((name) => [name, visible(name)] as const),
      ]}
    />
  );
}
