import { Foreign } from "#console/parts/base/address.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { MatchingGroup } from "#console/places/reconciliation/queries/groups.ts";

/** The columns of the narrow list of groups beside the open one. */
export function groupColumns(): readonly Column<MatchingGroup>[] {
  const { fields } = matchingWords();
  return [
    {
      id: "pass",
      header: fields.pass,
      width: 100,
      grow: 1,
      cell: ({ pass }) => <Foreign>{pass}</Foreign>,
      phone: "main",
    },
    {
      id: "lines",
      header: fields.lines,
      width: 44,
      isNumber: true,
      cell: ({ left, right }) => (
        <span className="text-muted">
          {left}:{right}
        </span>
      ),
      phone: "note",
    },
    {
      id: "confidence",
      header: fields.confidence,
      width: 68,
      isNumber: true,
      cell: ({ confidence }) => String(confidence),
      phone: "end",
    },
  ];
}
