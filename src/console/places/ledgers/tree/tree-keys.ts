import type { KeyboardEvent } from "react";

/** The attribute of a row that has its address. */
export const ADDRESS = "data-address";

interface Row {
  readonly address: string;
  readonly hasChildren: boolean;
  readonly isOpen: boolean;
  /** Whether the row is an account, which has a link. */
  readonly isAccount: boolean;
}

interface TreeActions {
  readonly toggle: (address: string, isOpen: boolean) => void;
  /** Opens the account at an address. */
  readonly open: (address: string) => void;
}

/** The keys of a tree: up and down move, right opens or goes to the first child, left closes or goes to the parent, `Enter` opens the account. */
export function onTreeKey(event: KeyboardEvent<HTMLElement>, { toggle, open }: TreeActions): void {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(`[role=row][${ADDRESS}]`)];
  const focused = document.activeElement?.closest<HTMLElement>(`[role=row][${ADDRESS}]`);
  const place = focused === null || focused === undefined ? -1 : rows.indexOf(focused);
  const row = rows[place];
  if (row === undefined) return;
  const state = stateOf(row);
  const move = (target: HTMLElement | undefined): void => target?.focus();
  switch (event.key) {
    case "ArrowDown":
    case "j":
      move(rows[place + 1]);
      break;
    case "ArrowUp":
    case "k":
      move(rows[place - 1]);
      break;
    case "Home":
      move(rows[0]);
      break;
    case "End":
      move(rows.at(-1));
      break;
    case "ArrowRight":
      if (state.isOpen) move(rows[place + 1]);
      else if (state.hasChildren) toggle(state.address, true);
      break;
    case "ArrowLeft":
      if (state.isOpen) toggle(state.address, false);
      else move(rows.find((other) => stateOf(other).address === parentOf(state.address)));
      break;
    case "Enter":
      if (event.target !== row) return;
      if (state.isAccount) open(state.address);
      break;
    default:
      return;
  }
  event.preventDefault();
}

const stateOf = (row: HTMLElement): Row => ({
  address: row.getAttribute(ADDRESS) ?? "",
  hasChildren: row.hasAttribute("aria-expanded"),
  isOpen: row.getAttribute("aria-expanded") === "true",
  isAccount: row.querySelector("a") !== null,
});

/** The address of the segment above; empty for a segment of the first level. */
export const parentOf = (address: string): string =>
  address.slice(0, Math.max(address.lastIndexOf(":"), 0));
