/** Money that was pulled from an account and is not delivered yet. */
export interface Piece {
  readonly account: string;
  readonly asset: string;
  /** The amount, which is positive. */
  readonly amount: bigint;
}

/**
 * The money that a `send` has pulled, in order. Pieces from one account that are neighbours are joined before they are
 * delivered. Taking a piece moves an index and not the pieces, so that the work is proportional to the number of
 * pieces.
 */
export class Queue {
  readonly #pieces: Piece[] = [];
  #head = 0;

  get isEmpty(): boolean {
    return this.#head === this.#pieces.length;
  }

  /** A position to return to, as long as nothing was taken. */
  get mark(): number {
    return this.#pieces.length;
  }

  push(piece: Piece): void {
    this.#pieces.push(piece);
  }

  /** Removes what was pushed since the mark, and returns it. */
  undo(mark: number): Piece[] {
    return this.#pieces.splice(mark);
  }

  /** The next piece, cut to at most this amount. */
  take(amount: bigint): Piece | undefined {
    const head = this.#compact();
    if (head === undefined) return undefined;
    if (head.amount <= amount) {
      this.#head++;
      return head;
    }
    this.#pieces[this.#head] = { ...head, amount: head.amount - amount };
    return { ...head, amount };
  }

  /** The first piece, after its neighbours from the same account were joined with it. */
  #compact(): Piece | undefined {
    const first = this.#pieces[this.#head];
    if (first === undefined) return undefined;
    const { account, asset } = first;
    let { amount } = first;
    for (;;) {
      const next = this.#pieces[this.#head + 1];
      if (next === undefined || next.account !== account || next.asset !== asset) break;
      amount += next.amount;
      this.#head++;
    }
    const head = { account, asset, amount };
    this.#pieces[this.#head] = head;
    return head;
  }
}
