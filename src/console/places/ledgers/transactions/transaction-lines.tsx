import { Plus, X } from "lucide-react";
import {
  amountOf,
  emptyMetadata,
  emptyPosting,
  type MetadataDraft,
  type PostingDraft,
} from "./new-transaction.ts";
import { Button } from "#console/parts/base/button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { ledgerWords } from "#console/places/ledgers/words.ts";

interface LinesProps<Line> {
  readonly lines: readonly Line[];
  readonly onChange: (lines: readonly Line[]) => void;
}

/** The forms of addresses and of assets, as the browser checks them. */
const ADDRESS = String.raw`[a-zA-Z0-9_\-]+(:[a-zA-Z0-9_\-]+)*`;
const ASSET = String.raw`[A-Z][A-Z0-9]{0,16}(_[A-Z]{1,16})?(\/\d{1,6})?`;

/** The postings of a new transaction, each from one account to another one. */
export function PostingLines({ lines, onChange }: LinesProps<PostingDraft>) {
  const words = ledgerWords().newTransaction;
  const put = (line: PostingDraft): void =>
    onChange(lines.map((other) => (other.id === line.id ? line : other)));
  return (
    <div className="space-y-3">
      {lines.map((line, place) => (
        <fieldset key={line.id} className="rounded-md border border-line p-3">
          <legend className="sr-only">{words.posting(String(place + 1))}</legend>
          <div className="flex items-start gap-2">
            <PostingFields line={line} onChange={put} />
            {lines.length > 1 && (
              <RemoveLine
                label={words.removePosting(String(place + 1))}
                onRemove={() => onChange(lines.filter(({ id }) => id !== line.id))}
              />
            )}
          </div>
        </fieldset>
      ))}
      <Button
        className="-ml-3"
        kind="quiet"
        onClick={() => onChange([...lines, emptyPosting(lines.at(-1)?.asset)])}
      >
        <Plus aria-hidden size={14} />
        {words.addPosting}
      </Button>
    </div>
  );
}

function PostingFields({
  line,
  onChange,
}: {
  readonly line: PostingDraft;
  readonly onChange: (line: PostingDraft) => void;
}) {
  const words = ledgerWords();
  const { source, destination, amount, asset } = line;
  const exact = amount === "" || asset === "" ? undefined : amountOf(line);
  return (
    <div className="grid min-w-0 flex-1 grid-cols-2 gap-3 max-sm:grid-cols-1">
      <TextField
        label={words.columns.from}
        placeholder="world"
        pattern={ADDRESS}
        value={source}
        onChange={(next) => onChange({ ...line, source: next })}
        isRequired
        isCode
      />
      <TextField
        label={words.columns.to}
        placeholder="users:42:main"
        pattern={ADDRESS}
        value={destination}
        onChange={(next) => onChange({ ...line, destination: next })}
        isRequired
        isCode
      />
      <TextField
        label={words.columns.amount}
        value={amount}
        onChange={(next) => onChange({ ...line, amount: next })}
        check={() => (amountOf(line) === undefined ? words.newTransaction.badAmount : null)}
        hint={exact === undefined ? undefined : <Money amount={exact} asset={asset} />}
        isRequired
      />
      <TextField
        label={words.newTransaction.asset}
        placeholder="EUR/2"
        pattern={ASSET}
        value={asset}
        onChange={(next) => onChange({ ...line, asset: next })}
        hint={words.newTransaction.assetHint}
        isRequired
        isCode
      />
    </div>
  );
}

/** The metadata of a new transaction. */
export function MetadataLines({ lines, onChange }: LinesProps<MetadataDraft>) {
  const words = ledgerWords();
  const put = (line: MetadataDraft): void =>
    onChange(lines.map((other) => (other.id === line.id ? line : other)));
  return (
    <div className="space-y-2">
      {lines.map((line) => (
        <div key={line.id} className="flex items-start gap-2">
          <div className="grid min-w-0 flex-1 grid-cols-2 gap-3">
            <TextField
              label={words.edit.name}
              value={line.name}
              onChange={(name) => put({ ...line, name })}
              isRequired
              isCode
            />
            <TextField
              label={words.edit.value}
              value={line.value}
              onChange={(value) => put({ ...line, value })}
            />
          </div>
          <RemoveLine
            label={words.edit.remove(line.name)}
            onRemove={() => onChange(lines.filter(({ id }) => id !== line.id))}
          />
        </div>
      ))}
      <Button className="-ml-3" kind="quiet" onClick={() => onChange([...lines, emptyMetadata()])}>
        <Plus aria-hidden size={14} />
        {words.newTransaction.addMetadata}
      </Button>
    </div>
  );
}

const RemoveLine = ({
  label,
  onRemove,
}: {
  readonly label: string;
  readonly onRemove: () => void;
}) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    onClick={onRemove}
    className="flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
  >
    <X aria-hidden size={14} />
  </button>
);
