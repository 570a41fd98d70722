import type { ReactNode } from "react";
import { type DeveloperPage, refusalOf } from "./reach.ts";
import { Empty } from "#console/parts/base/states.tsx";

/** A page that the person may see, or the sentence that says why not. Nothing is asked for a page that is refused. */
export function Guarded({
  page,
  children,
}: {
  readonly page: DeveloperPage;
  readonly children: () => ReactNode;
}) {
  const refusal = refusalOf(page);
  return refusal === undefined ? children() : <Empty title={refusal} />;
}
