import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** A link to a page of another place by its path, such as `/payments/initiations/42`. */
export const ForeignLink = ({
  to,
  children,
}: {
  readonly to: string;
  readonly children: ReactNode;
}) => (
  <Link
    to={to as never} // The path is not checked: the route belongs to another place.
    className="text-accent hover:underline"
  >
    {children}
  </Link>
);
