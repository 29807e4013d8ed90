import { describe, expect, test } from 'vitest';
import { maskCnpj } from '../../console/src/areas/companies/cnpj.ts';
import { companiesOf, onlyRows, sheetOf } from '../../console/src/areas/companies/import-rows.ts';
import { stateOf, treeOf } from '../../console/src/areas/keys/key-tree.ts';
import { applyMoves, moveTo } from '../../console/src/areas/pipelines/moves.ts';
import type { ApiKey, Card } from '../../console/src/sdk.ts';
import { csvCell, parseCsv } from '../../console/src/ui/csv.ts';
import { fc } from '../support/fast-check.ts';

describe('a sheet', () => {
  test.each([
    [
      'nome;cnpj\r\nSol;1',
      [
        ['nome', 'cnpj'],
        ['Sol', '1'],
      ],
    ],
    [
      'nome\tcnpj\nSol\t',
      [
        ['nome', 'cnpj'],
        ['Sol', ''],
      ],
    ],
    [
      'a,b\n"x, ""y""\nz",2\n\n',
      [
        ['a', 'b'],
        ['x, "y"\nz', '2'],
      ],
    ],
    ['\uFEFFnome\nSol', [['nome'], ['Sol']]],
    ['', []],
  ])('%j is read by the separator of its first line', (text, cells) => expect(parseCsv(text)).toEqual(cells));

  test('whose first line has as many of two separators is split by the semicolon, which cells of amounts do not hold', () => {
    expect(parseCsv('nome;valor,moeda\nAna;1,50')).toEqual([
      ['nome', 'valor,moeda'],
      ['Ana', '1,50'],
    ]);
  });

  test('that was written is read back, whatever is in its cells', () => {
    const cell = fc.string().map((text) => text.trim().replace(/\r/g, ''));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
        const text = [['nome', 'nota'], ...rows].map((cells) => cells.map(csvCell).join(';')).join('\n');
        const kept = rows.filter((cells) => cells.some((each) => each !== ''));
        expect(parseCsv(text).slice(1)).toEqual(kept);
      }),
    );
  });

  test('has fields by their titles in any case, other columns as attributes, and no empty cells', () => {
    const sheet = sheetOf('NOME;responsavelid;porte\nSol;;grande\nLua;acc_1;');
    expect(companiesOf(sheet)).toEqual([
      { nome: 'Sol', atributos: { porte: 'grande' } },
      { nome: 'Lua', responsavelId: 'acc_1' },
    ]);
    expect(onlyRows(sheet, [2])).toBe('nome;responsavelId;porte\nLua;acc_1;');
  });
});

test.each([
  ['', ''],
  ['12', '12'],
  ['12a', '12.A'],
  ['12abc345', '12.ABC.345'],
  ['12abc34501de35', '12.ABC.345/01DE-35'],
  ['11.222.333/0001-81 and more', '11.222.333/0001-81'],
])('the CNPJ %j is shown as %s', (typed, shown) => expect(maskCnpj(typed)).toBe(shown));

describe('moves on a board', () => {
  const card = (id: string) => ({ id }) as Card;
  const columns = { one: ['a', 'b', 'c'].map(card), two: ['d', 'e'].map(card), three: [] };
  const ids = (moved: ReturnType<typeof applyMoves>) =>
    Object.fromEntries(Object.entries(moved).map(([stage, cards]) => [stage, cards.map(({ id }) => id)]));

  test.each([
    ['one', 0, { antesDe: 'b' }, { one: ['a', 'b', 'c'], two: ['d', 'e'], three: [] }],
    ['one', 2, { depoisDe: 'c' }, { one: ['b', 'c', 'a'], two: ['d', 'e'], three: [] }],
    ['two', 0, { antesDe: 'd' }, { one: ['b', 'c'], two: ['a', 'd', 'e'], three: [] }],
    ['two', 1, { depoisDe: 'd' }, { one: ['b', 'c'], two: ['d', 'a', 'e'], three: [] }],
    ['three', 0, {}, { one: ['b', 'c'], two: ['d', 'e'], three: ['a'] }],
  ])('to %s at %i name the neighbour there, and are shown in that place', (stage, index, neighbour, moved) => {
    const move = moveTo(columns, card('a'), stage, index);
    const { card: _, to, ...beside } = move;
    expect({ to, ...beside }).toEqual({ to: stage, ...neighbour });
    expect(ids(applyMoves(columns, [move]))).toEqual(moved);
  });

  test('that were done already change nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('one', 'two', 'three'),
        fc.nat(2),
        fc.constantFrom('a', 'b', 'd'),
        (to, index, id) => {
          const move = moveTo(columns, card(id), to, index);
          const once = applyMoves(columns, [move]);
          expect(ids(applyMoves(once, [move]))).toEqual(ids(once));
        },
      ),
    );
  });

  test('leave columns that the card neither leaves nor comes to as they are, so that those are not drawn again', () => {
    const moved = applyMoves(columns, [moveTo(columns, card('a'), 'two', 0)]);
    expect(moved.three).toBe(columns.three);
    expect(moved.one).not.toBe(columns.one);
  });

  test('beside a card that is gone go to the end', () => {
    expect(ids(applyMoves(columns, [{ card: card('a'), to: 'two', depoisDe: 'gone' }])).two).toEqual(['d', 'e', 'a']);
  });
});

describe('keys', () => {
  const key = (id: string, more: Partial<ApiKey> = {}) => ({ id, ...more }) as ApiKey;

  test('stand below the key that created them, where it is shown, and each once', () => {
    const keys = [
      key('leaf', { createdBy: 'branch' as never }),
      key('root'),
      key('branch', { createdBy: 'root' as never }),
      key('other', { createdBy: 'of-another-page' as never }),
    ];
    expect(treeOf(keys).map(({ key: { id }, depth }) => [id, depth])).toEqual([
      ['root', 0],
      ['branch', 1],
      ['leaf', 2],
      ['other', 0],
    ]);
  });

  test('are revoked before they are expired, expired from the moment on, and rotating until then', () => {
    const now = Date.parse('2026-11-26T12:00:00.000Z');
    const [at, later] = ['2026-11-26T12:00:00.000Z', '2026-11-26T12:00:00.001Z'];
    const states = [
      key('a'),
      key('b', { expiresAt: later }),
      key('c', { expiresAt: at }),
      key('d', { expiresAt: at, revokedAt: at }),
      key('e', { oldSecretsValidUntil: later }),
      key('f', { oldSecretsValidUntil: at }),
      key('g', { oldSecretsValidUntil: later, expiresAt: at }),
    ].map((each) => stateOf(each, now));
    expect(states).toEqual(['active', 'active', 'expired', 'revoked', 'rotating', 'active', 'expired']);
  });
});
