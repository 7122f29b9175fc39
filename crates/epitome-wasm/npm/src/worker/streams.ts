// A stream that another thread reads: page by page, so that neither thread has all of it in memory.

/** The elements of a page, unless they are the last ones. */
const PAGE = 64;

/** What the reader calls: the next page, which is not full if it is the last one. With `isLeft`, it reads no more. */
export type Pages = (isLeft?: boolean) => Promise<readonly unknown[]>;

/** True for what `for await` reads. */
export function isStream(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value;
}

/** The pages of a stream of this thread. `ended` is called when there are no more. */
export function pagesOf(stream: AsyncIterable<unknown>, ended: () => void): Pages {
  const iterator = stream[Symbol.asyncIterator]();
  return async (isLeft = false) => {
    const page: unknown[] = [];
    try {
      if (isLeft) {
        await iterator.return?.();
      }
      while (!isLeft && page.length < PAGE) {
        const { done, value } = await iterator.next();
        if (done === true) {
          break;
        }
        page.push(value);
      }
    } catch (error) {
      ended();
      throw error;
    }
    if (page.length < PAGE) {
      ended();
    }
    return page;
  };
}

/** The stream of the other thread. */
export async function* elementsOf(pages: Pages): AsyncGenerator<unknown, void> {
  let isOver = false;
  try {
    while (!isOver) {
      const page = await pages();
      isOver = page.length < PAGE;
      yield* page;
    }
  } finally {
    if (!isOver) {
      await pages(true);
    }
  }
}
