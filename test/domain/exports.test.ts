import { describe, expect, test } from 'vitest';
import { tagsCell } from '../../shared/domain/contacts/tags-cell.ts';
import { csvOf } from '../../shared/domain/core/csv.ts';
import { exportWindow } from '../../shared/domain/exports/window.ts';
import { contactOfCells } from '../../shared/domain/imports/columns.ts';
import { nextLink, prefers } from '../../shared/runtime/negotiate.ts';

const DAY_MS = 24 * 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

/** A reader of RFC 4180, written on its own. */
const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [[]];
  let field = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '"' && text[at + 1] === '"') field += text[at++];
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === ',') {
      rows.at(-1)?.push(field);
      field = '';
    } else if (!quoted && character === '\r' && text[at + 1] === '\n') {
      rows.at(-1)?.push(field);
      field = '';
      rows.push([]);
      at++;
    } else field += character;
  }
  return rows.slice(0, -1);
};

describe('a CSV', () => {
  test('reads back as it was written, whatever its fields hold', () => {
    const values = ['', 'plain', 'a,b', 'say "no"', 'two\r\nlines', '"', ',', 'ç漢', '7', ' x ', 'a\nb'];
    const rows = values.map((value, at) => ({ id: value, note: values[(at + 1) % values.length], count: at }));
    const text = csvOf(['id', 'note', 'count'], rows);
    expect(parseCsv(text)).toEqual([
      ['id', 'note', 'count'],
      ...rows.map(({ id, note, count }) => [id, note, String(count)]),
    ]);
  });

  test('begins no field as a formula', () => {
    const formulas = ['=1+1', '+5511', '-2', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '=HYPERLINK("http://x","y")'];
    const fields = parseCsv(
      csvOf(
        ['cell'],
        formulas.map((cell) => ({ cell })),
      ),
    ).slice(1);
    expect(fields).toEqual(formulas.map((cell) => [`'${cell}`]));
  });

  test.each(['=1', '＝1', '＋55', '－2', '＠SUM(A1)', "'=1", "''＝1", "'plain", "O'Neill", "'", '-1|vip'])(
    'is imported as it was exported: %s',
    (name) => {
      const [, [cell = ''] = []] = parseCsv(csvOf(['name'], [{ name }]));
      expect(contactOfCells(['name'], [cell])).toEqual({ name });
    },
  );

  test.each([
    [['vip', 'novo'], 'vip|novo'],
    [['a|b', 'c'], '["a|b","c"]'],
    [['|', '||'], '["|","||"]'],
    [['["x"]'], '["[\\"x\\"]"]'],
    [['[promo]', '{'], '[promo]|{'],
    [[' spaced', 'end '], '[" spaced","end "]'],
    [['a\\', 'b'], 'a\\|b'],
  ])('has the tags %j in a cell from which an import reads the same', (tags, cell) => {
    expect(tagsCell(tags)).toBe(cell);
    expect(contactOfCells(['tags'], [cell])).toEqual({ tags });
  });

  test('has an empty cell without tags', () => {
    expect(tagsCell([])).toBe('');
  });

  test('leaves numbers as they are, and absent values empty', () => {
    expect(csvOf(['a', 'b', 'c'], [{ a: -1, c: 'x' }])).toBe('a,b,c\r\n-1,,x\r\n');
  });
});

describe('the window of an export', () => {
  const from = Date.UTC(2026, 2, 1);
  test.each([0, 1, 31 * DAY_MS])('may last %i ms', (length) => {
    expect(exportWindow({ from: iso(from), to: iso(from + length) })).toEqual({ from, to: from + length });
  });
  test.each([-1, 31 * DAY_MS + 1])('may not last %i ms: 422', (length) => {
    expect(exportWindow({ from: iso(from), to: iso(from + length) })).toMatchObject({ name: 'VALIDATION_ERROR' });
  });
});

describe('CSV is answered', () => {
  test.each([
    ['text/csv', true],
    ['TEXT/CSV; charset=utf-8', true],
    ['text/*', true],
    ['text/csv, */*;q=0.1', true],
    ['application/json;q=0.5, text/csv', true],
    ['text/csv;q=0.2, application/json', false],
    ['text/csv, application/json', false],
    ['text/csv;q=0, */*', false],
    ['text/csv;q=x', false],
    ['*/*', false],
    ['application/xml', false],
    ['', false],
  ])('to Accept: %s? %s', (accept, answered) => {
    expect(prefers({ headers: { aCCept: accept } }, 'text/csv')).toBe(answered);
  });

  test('not to a call without Accept', () => {
    expect(prefers({ headers: {} }, 'text/csv')).toBe(false);
  });
});

test('the link of the next page is the address of the call with its cursor', () => {
  const queryStringParameters = { from: '2026-03-01T00:00:00+03:00', cursor: 'old', limit: '2' };
  const event = { path: '/v2/exports/whatsapp', queryStringParameters };
  const [, address = ''] = /^<(.+)>; rel="next"$/.exec(nextLink(event, 'new')) ?? [];
  const url = new URL(address, 'https://api.example');
  expect(url.pathname).toBe('/v2/exports/whatsapp');
  expect(Object.fromEntries(url.searchParams)).toEqual({ ...queryStringParameters, cursor: 'new' });
});
