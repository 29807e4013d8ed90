import { parseCsv } from './csv.ts';

/** How much of a file is read for the preview, in bytes: more than its first records. */
const LOOK_BYTES = 256 * 1024;

/** Thrown for a file that is not UTF-8, which the service would refuse. */
export class NotUtf8 extends Error {
  constructor() {
    super('The file is not UTF-8.');
    this.name = 'NotUtf8';
  }
}

/** The text of UTF-8, without its mark. A character that the end cuts in two is left out, unless it is the `whole` file. Throws NotUtf8. */
const textOf = (bytes: ArrayBuffer, whole: boolean): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !whole });
  } catch {
    throw new NotUtf8();
  }
};

/** The beginning of a file. */
export interface Sheet {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The header of a CSV file and its first rows. Throws NotUtf8 where its beginning is not. */
export const previewSheet = async (file: Blob, rows: number): Promise<Sheet> => {
  const whole = file.size <= LOOK_BYTES;
  const text = textOf(await file.slice(0, LOOK_BYTES).arrayBuffer(), whole);
  const [header = [], ...records] = parseCsv(text);
  return { header: header.map((name) => name.trim()), rows: records.slice(0, rows) };
};

/** All records of a small CSV file. Throws NotUtf8. */
export const readSheet = async (file: Blob): Promise<readonly (readonly string[])[]> =>
  parseCsv(textOf(await file.arrayBuffer(), true));
