import { Link } from "@tanstack/react-router";
import { FileText } from "lucide-react";
import { useState } from "react";
import type { ChosenFile } from "./file-content.ts";
import { PreviewView } from "./preview-view.tsx";
import { RefusalView } from "./refusal-view.tsx";
import { usePreview } from "./use-preview.ts";
import { useUpload } from "./use-upload.ts";
import { ApiError } from "#console/api/errors.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { LINK } from "#console/places/reconciliation/common/names.tsx";
import type {
  Statement,
  StatementPreview,
  StatementRefusal,
  StatementSource,
} from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";
import { fieldsOf, guessMapping } from "#console/places/reconciliation/sources/mapping/guess.ts";
import {
  draftOfMapping,
  isComplete,
  type MappingDraft,
  toMapping,
  type WireMapping,
} from "#console/places/reconciliation/sources/mapping/mapping-draft.ts";
import { MappingFields } from "#console/places/reconciliation/sources/mapping/mapping-fields.tsx";
import { parseJson } from "#platform/json.ts";

interface ReviewProps {
  readonly source: StatementSource;
  readonly chosen: ChosenFile;
  /** Files that follow. */
  readonly waiting: number;
  readonly onEnd: () => void;
}

/** A chosen file as the source would read it; of a CSV file, with the mapping, which can be changed. */
export function FileReview({ source, chosen, waiting, onEnd }: ReviewProps) {
  const words = sourceWords().upload;
  const stored = source.mapping as WireMapping | undefined; // The API has checked it.
  const [draft, setDraft] = useState<MappingDraft>();
  const [made, setMade] = useState<Statement>();
  const mapping = draft === undefined ? stored : toMapping(draft, stored);
  const shown = usePreview(chosen, source, mapping);
  const { write, share } = useUpload(source, chosen.file, setMade);
  if (made !== undefined) return <Uploaded statement={made} onEnd={onEnd} waiting={waiting} />;
  const refusal = shown.data?.refusal;
  const needsColumns = isCsv(shown.data, source) && mapping === undefined;
  const isReady = refusal === undefined && !shown.isPending && !needsColumns;
  const send = (mayOverlap: boolean): void =>
    write.send({ id: chosen.id, mapping: draft === undefined ? undefined : mapping, mayOverlap });
  return (
    <div className="rounded-md border border-line p-4">
      <FileName chosen={chosen} waiting={waiting} />
      {isCsv(shown.data, source) && (
        <MappingSection chosen={chosen} stored={stored} draft={draft} onChange={setDraft} />
      )}
      {shown.error !== null && (
        <Failure error={shown.error} title={words.noPreview} retry={() => void shown.refetch()} />
      )}
      {shown.isPending && <LoadingRows rows={3} />}
      {refusal !== undefined && !needsColumns && (
        <RefusalView refusal={refusal} text={chosen.text} />
      )}
      {shown.data !== undefined && (
        <PreviewView preview={shown.data} isPartial={chosen.isPartial} />
      )}
      {write.error !== null && (
        <UploadFailure error={write.error} text={chosen.text} onOverlap={() => send(true)} />
      )}
      {write.isSending && <Progress share={share} />}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button disabled={write.isSending} onClick={onEnd}>
          {words.leave}
        </Button>
        <Button
          kind="primary"
          disabled={write.isSending || !isReady || (draft !== undefined && !isComplete(draft))}
          onClick={() => send(false)}
        >
          {words.submit}
        </Button>
      </div>
    </div>
  );
}

/** The mapping of a CSV file: a button that opens its form, and the form. Without a mapping, it begins with what the file seems to have. */
function MappingSection({
  chosen,
  stored,
  draft,
  onChange,
}: {
  readonly chosen: ChosenFile;
  readonly stored: WireMapping | undefined;
  readonly draft: MappingDraft | undefined;
  readonly onChange: (draft: MappingDraft) => void;
}) {
  const words = sourceWords().upload;
  if (draft !== undefined) {
    return (
      <div className="my-4">
        <MappingFields draft={draft} columns={columnsOf(chosen.text, draft)} onChange={onChange} />
      </div>
    );
  }
  if (stored !== undefined) {
    return (
      <Button kind="quiet" className="-ml-3" onClick={() => onChange(draftOfMapping(stored))}>
        {words.changeMapping}
      </Button>
    );
  }
  return (
    <p className="my-4 flex flex-wrap items-center gap-3 text-muted">
      {words.needsMapping}
      <Button onClick={() => onChange(guessMapping(chosen.text))}>{words.beginMapping}</Button>
    </p>
  );
}

/** Whether the file is, or may be, a CSV file, which needs a mapping. */
const isCsv = (preview: StatementPreview | undefined, { format }: StatementSource): boolean =>
  (format ?? preview?.format) === "csv" ||
  (format === undefined &&
    preview?.format === undefined &&
    preview?.formats.includes("csv") === true);

function columnsOf(text: string, { delimiter, hasHeader, skipLines }: MappingDraft) {
  const line = text.split(/\r?\n/)[Number(skipLines)] ?? "";
  const fields = fieldsOf(line, delimiter);
  return hasHeader ? fields : fields.map((_, place) => String(place + 1));
}

const FileName = ({ chosen: { file }, waiting }: Pick<ReviewProps, "chosen" | "waiting">) => (
  <p className="mb-2 flex flex-wrap items-center gap-2">
    <FileText aria-hidden size={14} className="text-faint" />
    <span className="font-medium">
      <Foreign>{file.name}</Foreign>
    </span>
    <span className="text-muted">{sourceWords().bytes(formatCount(file.size))}</span>
    {waiting > 0 && (
      <span className="text-muted">{sourceWords().upload.waiting(formatCount(waiting))}</span>
    )}
  </p>
);

function Progress({ share }: { readonly share: number }) {
  const words = sourceWords().upload;
  const percent = Math.round(share * 100);
  return (
    <div className="mt-3">
      <p className="text-note text-muted">
        {share < 1 ? words.sending(String(percent)) : words.reading}
      </p>
      <div
        role="progressbar"
        aria-label={words.progress}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="mt-1 h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <div className="h-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}

/** Why the API has refused an upload. One that overlaps may be uploaded all the same. */
function UploadFailure({
  error,
  text,
  onOverlap,
}: {
  readonly error: Error;
  readonly text: string;
  readonly onOverlap: () => void;
}) {
  const words = sourceWords().upload;
  const refusal = refusalOf(error);
  if (refusal === undefined) return <Failure error={error} title={words.failed} />;
  return (
    <>
      <RefusalView refusal={{ ...refusal, message: error.message }} text={text} />
      {refusal.kind === "OVERLAP" && <Button onClick={onOverlap}>{words.overlap}</Button>}
    </>
  );
}

/** The place in the file that an answer names in its details. */
function refusalOf(error: Error): Partial<StatementRefusal> | undefined {
  if (!(error instanceof ApiError) || error.details === undefined) return undefined;
  try {
    const details = parseJson(error.details) as Partial<StatementRefusal>; // The API document says so.
    return details.kind === undefined ? undefined : details;
  } catch {
    return undefined;
  }
}

/** What has become of an uploaded file. */
function Uploaded({
  statement: { id, sourceID, state, lines },
  waiting,
  onEnd,
}: {
  readonly statement: Statement;
  readonly waiting: number;
  readonly onEnd: () => void;
}) {
  const words = sourceWords().upload;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-4 rounded-md border border-line p-4"
    >
      <Status tone={state === "ready" ? "good" : "waits"}>
        {state === "ready" ? words.done(formatCount(lines)) : words.stillReading}
      </Status>
      <Link
        to="/reconciliation/sources/$id/statements/$statement"
        params={{ id: sourceID, statement: id }}
        className={LINK}
      >
        {words.show}
      </Link>
      <Button className="ml-auto" onClick={onEnd}>
        {waiting === 0 ? words.another : words.next}
      </Button>
    </div>
  );
}
