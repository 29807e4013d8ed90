import { describe, expect, test } from 'vitest';
import { formatOf } from '../../console/src/app/format.ts';
import { attributeOf, changeOf, creationOf, textsOf } from '../../console/src/areas/contacts/contact-fields.ts';
import { faultOf, guessTargets, mappingOf } from '../../console/src/areas/contacts/import-mapping.ts';
import type { ImportField } from '../../console/src/areas/contacts/import-texts.ts';
import { identifiersOf } from '../../console/src/areas/lists/identifiers.ts';
import {
  type Condition,
  descriptionOf,
  isComplete,
  newCondition,
  newGroup,
  rootOf,
  withField,
  withOperator,
  withType,
} from '../../console/src/areas/segments/conditions.ts';
import { NotUtf8, previewSheet, readSheet } from '../../console/src/ui/sheet.ts';

describe('an attribute', () => {
  test.each([
    ['30', 30],
    ['-0.5', -0.5],
    ['01310', '01310'],
    ['1e5', '1e5'],
    ['12345678901234567', '12345678901234567'],
    ['true', true],
    ['false', false],
    ['null', null],
    ['["a","b"]', ['a', 'b']],
    ['[1]', '[1]'],
    ['[oi', '[oi'],
    ['', ''],
  ])('that is typed as %s is stored as %j', (text, value) => {
    expect(attributeOf(text)).toEqual(value);
  });
});

describe('the form of a contact', () => {
  const stored = {
    phone: '+5511999990000',
    name: 'Bia',
    tags: ['vip'],
    attributes: { cep: '01310', nota: '30', pontos: 3 },
  };

  test('without an edit changes nothing', () => {
    const form = textsOf(stored);
    expect(changeOf(form, { ...form })).toEqual({});
  });

  test('clears what is emptied, takes away what is removed, and leaves the rest out', () => {
    const form = textsOf(stored);
    const attributes = form.attributes.filter(({ key }) => key !== 'cep');
    expect(changeOf(form, { ...form, name: '', tags: [], attributes, cpf: '52998224725' })).toEqual({
      name: null,
      tags: [],
      attributes: { cep: null },
      cpf: '52998224725',
    });
  });

  test('of a new contact leaves out what is empty', () => {
    const form = { ...textsOf(), phone: ' +5511999990000 ', attributes: [{ row: 'a', key: ' ', text: 'x' }] };
    expect(creationOf(form)).toEqual({ phone: '+5511999990000', source: 'manual' });
  });
});

describe('the columns of a file', () => {
  const fields: ImportField[] = ['phone', 'name', 'email', 'tags', 'externalId', 'optIn.status', 'nascimento'];

  test('fill what their names say, whatever their accents and case, each field once', () => {
    expect(guessTargets(['TELEFONE', 'Código', 'e-mail', 'Celular', 'Cidade', '', 'attributes.plano'], fields)).toEqual(
      ['phone', 'externalId', 'email', '', 'attributes.Cidade', '', 'attributes.plano'],
    );
  });

  test('need one that fills the phone, and none twice', () => {
    expect(faultOf(['name', ''])).toBe('needsPhone');
    expect(faultOf(['phone', 'name', 'name'])).toBe('twice');
    expect(faultOf(['phone', '', ''])).toBeUndefined();
    expect(mappingOf(['Fone', 'Nada', 'Cor'], ['phone', '', 'attributes.Cor'])).toEqual({
      Fone: 'phone',
      Cor: 'attributes.Cor',
    });
  });
});

describe('a file', () => {
  test('is read at its beginning, which may end within a character', async () => {
    for (const shift of ['', 'x']) {
      const text = `telefone;nome\n+5511999990000;"Ana; ""A"""\n${shift}${'é'.repeat(200_000)}\n`;
      expect(await previewSheet(new Blob([text]), 1)).toEqual({
        header: ['telefone', 'nome'],
        rows: [['+5511999990000', 'Ana; "A"']],
      });
    }
  });

  test('that is not UTF-8 is refused, also where it ends within a character', async () => {
    await expect(previewSheet(new Blob([Buffer.from('nome\nJo\xe3o\n', 'latin1')]), 1)).rejects.toThrow(NotUtf8);
    await expect(readSheet(new Blob([new Uint8Array([0x61, 0xc3])]))).rejects.toThrow(NotUtf8);
  });

  test('and a text name each contact once', () => {
    expect(identifiersOf(' a \n\nb\na', ['b', ' c', ''])).toEqual(['a', 'b', 'c']);
  });
});

describe('conditions', () => {
  const leaf = (fields: Partial<Condition>): Condition => ({ ...newCondition(), text: 'vip', ...fields });

  test('that all have to hold need no tree; any other way of joining them does', () => {
    const filter = { field: 'tag', operator: 'is', value: 'vip' };
    expect(descriptionOf(newGroup('and', [leaf({})]))).toEqual({ filters: [filter] });
    const tree = { kind: 'group', operator: 'or', nodes: [{ kind: 'leaf', filter }] };
    expect(descriptionOf(newGroup('or', [leaf({})]))).toEqual({ filters: [filter], filterTree: tree });
    expect(descriptionOf(newGroup('and', [newGroup('or', [leaf({})])])).filterTree).toEqual({
      kind: 'group',
      operator: 'and',
      nodes: [tree],
    });
  });

  test('are what they were once they are read again', () => {
    const filters = [
      { field: 'attribute', operator: 'is', key: 'a', value: '30' },
      { field: 'attribute', operator: 'isNot', key: 'a', value: 30 },
      { field: 'attribute', operator: 'is', key: 'a', value: true },
      { field: 'attribute', operator: 'lt', key: 'a', value: '2024-01-01' },
      { field: 'lastInteraction', operator: 'before', value: '2024-03-05T10:11:12.345Z' },
      { field: 'lastInteraction', operator: 'olderThanDays', value: 9 },
      { field: 'channel', operator: 'has', value: 'email' },
    ] as const;
    expect(descriptionOf(rootOf({ filters: [...filters] }))).toEqual({ filters });
    const filterTree = { kind: 'leaf', filter: filters[0] } as const;
    expect(descriptionOf(rootOf({ filters: [], filterTree }))).toEqual({ filters: [filters[0]] });
  });

  test('are complete once each has a value, an attribute its name, and a group a condition', () => {
    expect(isComplete(newGroup('and', [leaf({})]))).toBe(true);
    expect(isComplete(newGroup('and', [leaf({ text: ' ' })]))).toBe(false);
    expect(isComplete(newGroup('and', [leaf({ field: 'attribute', key: ' ' })]))).toBe(false);
    expect(isComplete(newGroup('and', [leaf({}), newGroup('or', [])]))).toBe(false);
  });

  test('keep their value where another operator compares with the same, and are reset otherwise', () => {
    expect(withOperator(leaf({}), 'isNot')).toMatchObject({ operator: 'isNot', text: 'vip' });
    const attribute = leaf({ field: 'attribute', key: 'pontos' });
    expect(withOperator(attribute, 'gt')).toMatchObject({ key: 'pontos', type: 'number', text: '' });
    expect(withOperator(attribute, 'exists')).toMatchObject({ key: 'pontos', text: 'true' });
    expect(withField(attribute, 'optIn')).toMatchObject({
      node: attribute.node,
      operator: 'is',
      key: '',
      text: 'granted',
    });
    expect(withType(attribute, 'boolean')).toMatchObject({ text: 'true' });
  });
});

describe('how much later something was', () => {
  test.each([
    [0, undefined, undefined],
    [59_999, undefined, undefined],
    [60_000, '1 minuto', '1 minute'],
    [40 * 60_000, '40 minutos', '40 minutes'],
    [3_600_000, '1 hora', '1 hour'],
    [26.4 * 3_600_000, '26 horas', '26 hours'],
    [72 * 3_600_000, '3 dias', '3 days'],
  ])('is said of %i ms as %s', (ms, pt, en) => {
    expect(formatOf('pt').elapsed(ms)).toBe(pt);
    expect(formatOf('en').elapsed(ms)).toBe(en);
  });
});

describe('values as a person reads them', () => {
  const format = formatOf('en');

  test('coins are ten thousandths of a real, to the last of them', () => {
    expect(format.coins(10_000)).toBe('R$1.00');
    expect(format.coins(9_995_601)).toBe('R$999.5601');
  });

  test('a moment of before is ago, one to come is ahead, each in its largest whole unit', () => {
    const now = Date.parse('2026-03-02T12:00:00.000Z');
    expect(format.relative('2026-03-02T10:00:00.000Z', now)).toBe('2 hours ago');
    expect(format.relative('2026-03-05T12:00:00.000Z', now)).toBe('in 3 days');
  });
});
