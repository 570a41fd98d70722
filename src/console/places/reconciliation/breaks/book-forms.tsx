import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { CodeEditor } from "#console/parts/editor/code-editor.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton, Form } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type {
  BreakHistory,
  CorrectionBody,
} from "#console/places/reconciliation/queries/breaks.ts";
import { RECONCILIATION_KEY } from "#console/places/reconciliation/queries/common.ts";

const PATH = "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks/{lineID}/correction";

function useBooking(
  { matchingID, line }: { readonly matchingID: string; readonly line: number },
  onDone: () => void,
) {
  return useWrite(
    (body: CorrectionBody, call) =>
      florin.post(PATH, { path: { matchingID, lineID: line }, body }, call),
    { refresh: [RECONCILIATION_KEY], onDone },
  );
}

/** Books what is suggested, after a question. */
export function BookButton({
  matchingID,
  line,
  account,
}: {
  readonly matchingID: string;
  readonly line: number;
  readonly account: string | undefined;
}) {
  const words = matchingWords();
  const [note, setNote] = useState("");
  const write = useBooking({ matchingID, line }, () => {});
  return (
    <div className="mt-4 flex justify-end">
      <ConfirmButton
        kind="primary"
        trigger={words.remedy.book}
        title={words.remedy.bookTitle}
        submit={words.remedy.book}
        isRisky={false}
        write={write}
        onConfirm={() => write.send({ note, ...(account === undefined ? {} : { account }) })}
      >
        <p>{words.remedy.bookText}</p>
        <TextField label={words.note} value={note} onChange={setNote} />
      </ConfirmButton>
    </div>
  );
}

/** The form of a script of one's own, which begins with the suggested one. The server tries it, and refuses one that does not close the break. */
export function OwnScriptForm({
  matchingID,
  of,
  script: suggested,
  close,
}: {
  readonly matchingID: string;
  readonly of: BreakHistory;
  readonly script: string;
  readonly close: () => void;
}) {
  const words = matchingWords();
  const [script, setScript] = useState(suggested);
  const [closes, setCloses] = useState(
    [of.id, ...(of.relatedLine === undefined ? [] : [of.relatedLine])].join(", "),
  );
  const [note, setNote] = useState("");
  const write = useBooking({ matchingID, line: of.id }, close);
  const send = (): void => write.send({ script, note, closes: linesIn(closes) });
  return (
    <Form write={write} submit={words.remedy.book} onSubmit={send}>
      <p className="text-muted">{words.remedy.ownText}</p>
      <CodeEditor
        label={words.remedy.script}
        language="numscript"
        value={script}
        onChange={setScript}
        onSubmit={send}
        minLines={8}
        maxLines={16}
      />
      <TextField
        label={words.remedy.closes}
        value={closes}
        onChange={setCloses}
        hint={words.remedy.closesHint}
        check={(text) => (linesIn(text).length === 0 ? words.remedy.closesWrong : null)}
        isRequired
      />
      <TextField label={words.note} value={note} onChange={setNote} />
    </Form>
  );
}

const linesIn = (text: string): number[] =>
  /^\s*\d{1,15}(\s*,\s*\d{1,15})*\s*$/.test(text) ? text.split(",").map(Number) : [];
