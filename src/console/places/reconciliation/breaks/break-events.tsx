import { useState } from "react";
import { BREAK_STATUSES } from "./break-filters.ts";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Timeline } from "#console/parts/layout/timeline.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { By } from "#console/places/reconciliation/lines/author.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { BreakHistory } from "#console/places/reconciliation/queries/breaks.ts";
import { matchingKey } from "#console/places/reconciliation/queries/matchings.ts";

type BreakEvent = BreakHistory["events"][number];

/** What was said and done about a break, oldest first, and the input of a comment. */
export function BreakEvents({
  matchingID,
  of,
}: {
  readonly matchingID: string;
  readonly of: BreakHistory;
}) {
  const words = matchingWords().work;
  return (
    <>
      {of.events.length === 0 && <p className="mb-4 text-muted">{words.noEvents}</p>}
      <Timeline
        entries={of.events.map((event, place) => ({
          id: String(place),
          at: event.at,
          tone: event.what === "comment" ? "neutral" : "waits",
          title: titleOf(event),
          note: (
            <>
              <By author={event.by} />
              {event.what === "comment" && (
                <p className="whitespace-pre-wrap text-text">
                  <Foreign>{event.text}</Foreign>
                </p>
              )}
            </>
          ),
        }))}
      />
      {mayWrite() && <CommentForm matchingID={matchingID} line={of.id} />}
    </>
  );
}

function titleOf({ what, text }: BreakEvent): string {
  const { work, breakStatus } = matchingWords();
  if (what === "comment") return work.commented;
  if (what === "assign") return text === "" ? work.unassigned : work.assigned(text);
  const status = BREAK_STATUSES.find((each) => each === text);
  return work.statusSet(status === undefined ? text : breakStatus[status]);
}

function CommentForm({ matchingID, line }: { readonly matchingID: string; readonly line: number }) {
  const words = matchingWords().work;
  const [text, setText] = useState("");
  const write = useWrite(
    (body: { readonly text: string }, call) =>
      florin.post(
        "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks/{lineID}/comments",
        { path: { matchingID, lineID: line }, body },
        call,
      ),
    { refresh: [matchingKey(matchingID)], onDone: () => setText("") },
  );
  return (
    <div className="mt-4">
      <Form write={write} submit={words.send} onSubmit={() => write.send({ text })}>
        <TextField label={words.comment} value={text} onChange={setText} rows={3} isRequired />
      </Form>
    </div>
  );
}
