/** Waits for the turn of the next element, where the client's quota makes it wait; undefined without a quota. */
export type ElementPace = (() => Promise<void> | undefined) | undefined;

/** The elements of a body that is still arriving, no faster than the client's quota. Who sends faster is slowed down, and not refused. */
export function paced<T>(elements: AsyncIterable<T>, pace: ElementPace): AsyncIterable<T> {
  return pace === undefined ? elements : pacedBy(elements, pace);
}

async function* pacedBy<T>(
  elements: AsyncIterable<T>,
  pace: NonNullable<ElementPace>,
): AsyncGenerator<T, undefined> {
  for await (const element of elements) {
    const turn = pace();
    if (turn !== undefined) await turn;
    yield element;
  }
}
