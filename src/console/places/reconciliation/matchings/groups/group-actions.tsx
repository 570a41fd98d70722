import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useDecisionKeys } from "./use-decision-keys.ts";
import { florin } from "#console/api/florin.ts";
import { Button, buttonClass } from "#console/parts/base/button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Key } from "#console/parts/keys/key.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { GroupDetail } from "#console/places/reconciliation/queries/groups.ts";
import { matchingKey } from "#console/places/reconciliation/queries/matchings.ts";

type Verb = "confirm" | "decline" | "break";

interface ActionProps {
  readonly matchingID: string;
  readonly group: GroupDetail;
  readonly onMove: (step: 1 | -1) => void;
  readonly onDecided: () => void;
}

/**
 * What can be decided about a group. A proposal of which several combinations fit cannot be confirmed as it is: its lines are chosen by hand.
 * `y` confirms, `x` declines or breaks, `m` goes to the note, `j` and `k` move.
 */
export function GroupActions({ matchingID, group, onMove, onDecided }: ActionProps) {
  const words = matchingWords();
  const { id, state, isAmbiguous } = group;
  const [note, setNote] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const write = useWrite(
    ({ verb, text }: { readonly verb: Verb; readonly text: string }, call) =>
      florin.post(
        `/api/florin/v1/reconciliation/matchings/{matchingID}/groups/{groupID}/${verb}`,
        { path: { matchingID, groupID: id }, body: { note: text } },
        call,
      ),
    { refresh: [matchingKey(matchingID)], onDone: onDecided },
  );
  const canDecide = mayWrite();
  const confirm = (): void => write.send({ verb: "confirm", text: note });
  const undo = (): void =>
    write.send({ verb: state === "matched" ? "break" : "decline", text: note });
  const canConfirm = canDecide && state === "proposed" && !isAmbiguous;
  const canUndo = canDecide && (state === "proposed" || state === "matched");
  useDecisionKeys({
    y: canConfirm ? confirm : undefined,
    x: canUndo && state === "proposed" ? undo : undefined,
    m: canUndo ? () => box.current?.querySelector("input")?.focus() : undefined,
    j: () => onMove(1),
    k: () => onMove(-1),
  });
  if (!canUndo) return null;
  return (
    <div ref={box} className="mt-6 border-t border-line pt-4">
      <Form
        write={write}
        submit={
          canConfirm ? words.confirm : words.undo[state === "matched" ? "matched" : "proposed"]
        }
        isRisky={state === "matched"}
        onSubmit={canConfirm ? confirm : undo}
        actions={
          <>
            {canConfirm && (
              <Button disabled={write.isSending} onClick={undo}>
                {words.undo.proposed}
                <Key name="x" />
              </Button>
            )}
            {state === "proposed" && isAmbiguous && (
              <ByHandLink matchingID={matchingID} group={group} />
            )}
          </>
        }
      >
        <TextField
          label={words.note}
          value={note}
          onChange={setNote}
          {...(canConfirm ? { hint: words.keysHint } : {})}
        />
      </Form>
    </div>
  );
}

/** A link to the match by hand, with the lines of the proposal chosen. */
const ByHandLink = ({ matchingID, group }: Pick<ActionProps, "matchingID" | "group">) => (
  <Link
    to="/reconciliation/matchings/$id/hand"
    params={{ id: matchingID }}
    search={{
      left: group.left.lines.map(({ id }) => id).join(","),
      right: group.right.lines.map(({ id }) => id).join(","),
    }}
    className={buttonClass("plain")}
  >
    {matchingWords().chooseByHand}
  </Link>
);
