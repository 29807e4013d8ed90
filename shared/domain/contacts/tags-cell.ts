import * as z from 'zod';
import { orUndefined } from '../core/or-undefined.ts';

/** Separates the values of a list in a cell. */
export const LIST_SEPARATOR = '|';

const jsonList = z.array(z.string());

/** The tags of a cell of a file: separated by `|`, or a JSON list of texts. */
export const tagsOfCell = (cell: string): readonly string[] => {
  const list = cell.startsWith('[') ? jsonList.safeParse(orUndefined(() => JSON.parse(cell))) : undefined;
  return list?.success ? list.data : cell.split(LIST_SEPARATOR).map((tag) => tag.trim());
};

/** The cell from which `tagsOfCell` reads these tags: separated, or a JSON list where that would read otherwise. Empty without tags. */
export const tagsCell = (tags: readonly string[]): string => {
  const separated = tags.join(LIST_SEPARATOR);
  const read = tags.length === 0 ? [] : tagsOfCell(separated);
  return read.length === tags.length && read.every((tag, at) => tag === tags[at]) ? separated : JSON.stringify(tags);
};
