/** The next rows of a source, newest first; `done` when there are no more. */
export type NextRows<T> = (count: number) => Promise<{ readonly rows: readonly T[]; readonly done: boolean }>;

/** Rows that a source is asked for beyond its even share: sources are seldom even. */
const BEYOND_SHARE = 4;

interface Source<T> {
  readonly next: NextRows<T>;
  readonly rows: T[];
  done: boolean;
}

/**
 * The newest `wanted` rows of several sources, each newest first; `orderOf` is what they are sorted by. Each source is asked for its share,
 * and again only where it may have rows that belong before the last one: what is read does not grow with the number of rows.
 */
export const mergeNewest = async <T>(
  nexts: readonly NextRows<T>[],
  orderOf: (row: T) => string,
  wanted: number,
): Promise<T[]> => {
  const sources = nexts.map((next): Source<T> => ({ next, rows: [], done: false }));
  const share = sources.length === 1 ? wanted : Math.ceil(wanted / sources.length) + BEYOND_SHARE;
  const fill = async (source: Source<T>) => {
    const { rows, done } = await source.next(share);
    source.rows.push(...rows);
    source.done = done;
  };
  let behind = sources;
  for (;;) {
    await Promise.all(behind.map(fill));
    const merged = sources
      .flatMap(({ rows }) => rows)
      .sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1))
      .slice(0, wanted);
    const last = merged[wanted - 1];
    behind = sources.filter(({ rows, done }) => {
      const oldest = rows.at(-1);
      return !done && (last === undefined || oldest === undefined || orderOf(oldest) > orderOf(last));
    });
    if (behind.length === 0) return merged;
  }
};
