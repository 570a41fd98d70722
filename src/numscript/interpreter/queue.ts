/** Money that was pulled from an account and is not delivered yet. */
export interface Piece {
  readonly account: string;
  readonly asset: string;
  /** Always positive. */
  readonly amount: bigint;
}

/**
 * The money that a `send` has pulled, in order. Neighbouring pieces from one account are joined before they are delivered.
 * Taking a piece moves an index and not the pieces, so that the work is proportional to the number of pieces:
 *
 *     #pieces     @a 10   @a 20   @b 5   @b 65
 *     take(30)            @a 30                    joins two pieces, gives @a 30, and moves the head behind them
 *     take(50)                           @b 70     joins two pieces, gives @b 50, and leaves @b 20 at the head
 */
export class Queue {
  readonly #pieces: Piece[] = [];
  #head = 0;

  get isEmpty(): boolean {
    return this.#head === this.#pieces.length;
  }

  /** A position for `undo`, valid as long as nothing is taken. */
  get mark(): number {
    return this.#pieces.length;
  }

  push(piece: Piece): void {
    this.#pieces.push(piece);
  }

  /** Removes and returns the pieces that were pushed since the mark. */
  undo(mark: number): Piece[] {
    return this.#pieces.splice(mark);
  }

  /** Takes the next piece, cut to at most this amount; undefined if the queue is empty. */
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

  /** Joins the first piece with its neighbours from the same account, and returns it. */
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
