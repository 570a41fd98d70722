import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { BREAK_STATUSES } from "./break-filters.ts";
import { ageOf, BreakState } from "./break-parts.tsx";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button, buttonClass } from "#console/parts/base/button.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { useSignedIn } from "#console/parts/principals/signed-in.ts";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { Day } from "#console/places/reconciliation/lines/day.tsx";
import { SourceLink } from "#console/places/reconciliation/lines/source-link.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { BreakHistory, BreakStatus } from "#console/places/reconciliation/queries/breaks.ts";
import { matchingKey, matchingQuery } from "#console/places/reconciliation/queries/matchings.ts";

interface WorkProps {
  readonly matchingID: string;
  readonly of: BreakHistory;
}

/** Who is at a break, and how far; with what changes it, for who may. */
export function BreakWork({ matchingID, of }: WorkProps) {
  const { fields, work } = matchingWords();
  const { data } = useQuery(matchingQuery(matchingID));
  const source = of.side === "left" ? data?.leftSourceID : data?.rightSourceID;
  const canChange = mayWrite() && of.state !== "matched";
  return (
    <>
      <Facts>
        <Fact name={fields.status}>
          <BreakState status={of.status} />
        </Fact>
        <Fact name={fields.assignee}>
          {of.assignee === undefined ? (
            <span className="text-muted">{work.nobody}</span>
          ) : (
            <Foreign>{of.assignee}</Foreign>
          )}
        </Fact>
        <Fact name={fields.age}>
          {ageOf(of.date)}{" "}
          <span className="text-muted">
            (<Day day={of.date} />)
          </span>
        </Fact>
        {source !== undefined && (
          <Fact name={fields.source}>
            <SourceLink id={source} />
          </Fact>
        )}
      </Facts>
      {canChange && (
        <div className="mt-4 flex flex-wrap gap-2">
          <TakeIt matchingID={matchingID} of={of} />
          <FormDialog trigger={work.change} title={work.changeTitle}>
            {(close) => <ChangeForm matchingID={matchingID} of={of} close={close} />}
          </FormDialog>
          <Link
            to="/reconciliation/matchings/$id/hand"
            params={{ id: matchingID }}
            search={{ [of.side]: String(of.id) }}
            className={buttonClass("plain")}
          >
            {work.byHand}
          </Link>
        </div>
      )}
    </>
  );
}

function useChange({ matchingID, of }: WorkProps, onDone: () => void) {
  return useWrite(
    (body: { status?: BreakStatus; assignee?: string }, call) =>
      florin.patch(
        "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks/{lineID}",
        { path: { matchingID, lineID: of.id }, body },
        call,
      ),
    { refresh: [matchingKey(matchingID)], onDone },
  );
}

/** One click that makes the person who looks the one who is at the break; not where nobody has to sign in. */
function TakeIt(props: WorkProps) {
  const person = useSignedIn();
  const name = person?.claims && (person.claims.name ?? person.claims.email ?? person.subject);
  const write = useChange(props, () => {});
  if (name === undefined || props.of.assignee === name) return null;
  return (
    <Button
      kind="primary"
      disabled={write.isSending}
      onClick={() => write.send({ status: "in_progress", assignee: name })}
    >
      {matchingWords().work.take}
    </Button>
  );
}

function ChangeForm({ matchingID, of, close }: WorkProps & { readonly close: () => void }) {
  const { fields, breakStatus, work, save } = matchingWords();
  const [status, setStatus] = useState(of.status);
  const [assignee, setAssignee] = useState(of.assignee ?? "");
  const write = useChange({ matchingID, of }, close);
  return (
    <Form write={write} submit={save} onSubmit={() => write.send({ status, assignee })}>
      <SelectField
        label={fields.status}
        value={status}
        isRequired
        onChange={setStatus}
        options={BREAK_STATUSES.map((each) => [each, breakStatus[each]])}
      />
      <TextField
        label={fields.assignee}
        value={assignee}
        onChange={setAssignee}
        hint={work.assigneeHint}
      />
    </Form>
  );
}
