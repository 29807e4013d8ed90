/** Separated values as spreadsheets write and copy them: by the separator that the first line has most of. */

const SEPARATORS = [';', '\t', ','] as const;

const separatorOf = (text: string): string => {
  const [head = ''] = text.split('\n', 1);
  const counted = SEPARATORS.map((separator) => [separator, head.split(separator).length] as const);
  return counted.reduce((most, each) => (each[1] > most[1] ? each : most))[0];
};

/** The cells of each line, trimmed (of a byte order mark as well). A quoted cell may hold separators, line ends and, doubled, quotes. Empty lines are left out. */
export const parseCsv = (text: string): readonly (readonly string[])[] => {
  const source = text.replace(/\r\n?/g, '\n');
  const separator = separatorOf(source);
  const lines: string[][] = [];
  let line: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at <= source.length; at++) {
    const character = source[at];
    if (quoted && character !== undefined) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') cell += source[++at] ?? '';
      else quoted = false;
    } else if (character === '"' && cell.trim() === '') {
      quoted = true;
      cell = '';
    } else if (character === separator || character === '\n' || character === undefined) {
      line.push(cell.trim());
      cell = '';
      if (character === separator) continue;
      if (line.some((each) => each !== '')) lines.push(line);
      line = [];
    } else cell += character;
  }
  return lines;
};

/** A cell as `parseCsv` reads it back. */
export const csvCell = (text: string): string => (/[;,\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
