import { Link } from "@tanstack/react-router";
import { Address } from "#console/parts/base/address.tsx";

/** The address of an account, which leads to the account. */
export const AccountLink = ({
  ledger,
  address,
}: {
  readonly ledger: string;
  readonly address: string;
}) => (
  <Link
    to="/ledgers/$ledger/accounts/$address"
    params={{ ledger, address }}
    className="inline-flex max-w-full min-w-0 rounded-sm hover:underline"
  >
    <Address address={address} />
  </Link>
);
