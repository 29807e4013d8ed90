import { foldText } from '../core/fold-text.ts';

/** A sort key of the table's index has room for 1,024 bytes, the company's id included. */
const MAX_SORT_BYTES = 900;

/** The longest prefix of a text within this many UTF-8 bytes, without a split character. */
const within = (text: string, bytes: number): string => {
  if (text.length * 3 <= bytes) return text;
  let size = 0;
  let end = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    end += character;
  }
  return end;
};

/** The sort key of a folded name: a name sorts before those that start with it, which requires characters above the key separator (`#`). */
export const sortTextOf = (foldedName: string): string => within(foldedName.replaceAll(/[ -#]/g, '$'), MAX_SORT_BYTES);

/** A name folded for search and ordering: without case and accents. */
export const foldName = (name: string): string => foldText(name);

/** The order of two companies in a list, as in the table's index: by the code points of their names, then by id. */
export const byName = (
  a: { readonly sortText: string; readonly id: string },
  b: { readonly sortText: string; readonly id: string },
): number => (a.sortText === b.sortText ? (a.id < b.id ? -1 : 1) : isBefore(a.sortText, b.sortText) ? -1 : 1);

/** UTF-8 sorts by code points, JavaScript by UTF-16 units: they differ between surrogates and the code points above them. */
const isBefore = (a: string, b: string): boolean => {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
  if (Number.isNaN(x)) return true;
  if (Number.isNaN(y)) return false;
  const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
  if (isSurrogate(x) !== isSurrogate(y)) return isSurrogate(y);
  return x < y;
};
