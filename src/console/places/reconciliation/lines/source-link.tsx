import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Foreign } from "#console/parts/base/address.tsx";
import { LINK, shortId } from "#console/places/reconciliation/common/names.tsx";
import { sourceQuery } from "#console/places/reconciliation/queries/sources.ts";

/** The name of a source; the beginning of its id until the name is known. */
export function SourceName({ id }: { readonly id: string }) {
  const { data } = useQuery(sourceQuery(id));
  return <Foreign>{data?.name ?? shortId(id)}</Foreign>;
}

/** The name of a source, which leads to it. */
export const SourceLink = ({ id }: { readonly id: string }) => (
  <Link
    to="/reconciliation/sources/$id"
    params={{ id }}
    onClick={(event) => event.stopPropagation()}
    className={LINK}
  >
    <SourceName id={id} />
  </Link>
);
