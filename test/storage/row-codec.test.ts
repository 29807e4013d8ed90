import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newId } from '../../shared/domain/core/ids.ts';
import { id, packedJson, time } from '../../shared/storage/client/attributes.ts';
import { defineRow } from '../../shared/storage/client/row-codec.ts';

const AT = Date.parse('2026-11-21T12:00:00.000Z');
interface Probe {
  readonly id: string;
  readonly version: number;
  readonly revision: number;
  readonly at: number;
  readonly until?: number | undefined;
  readonly steps: readonly { readonly at: number; readonly note?: string | undefined }[];
}
const attributes = {
  id: z.string(),
  version: z.int(),
  revision: z.int(),
  at: time,
  until: time.optional(),
  steps: z.array(z.object({ at: time, note: z.string().optional() })),
};
const key = ({ id }: Probe, part = 'PROBE') => ({ pk: `PROBE#${id}`, sk: part });
const rows = defineRow<Probe>()({
  attributes,
  rename: { version: 'contentVersion', revision: 'version', until: 'ends' },
  key,
  index: (probe) => ({ gsi1pk: 'PROBES', gsi1sk: probe.id }),
});
const probe: Probe = { id: 'a', version: 3, revision: 8, at: AT, steps: [{ at: AT, note: 'first' }, { at: AT + 1 }] };
const stored = {
  pk: 'PROBE#a',
  sk: 'PROBE',
  gsi1pk: 'PROBES',
  gsi1sk: 'a',
  id: 'a',
  contentVersion: 3,
  version: 8,
  at: '2026-11-21T12:00:00.000Z',
  steps: [{ at: '2026-11-21T12:00:00.000Z', note: 'first' }, { at: '2026-11-21T12:00:00.001Z' }],
};

describe('a row codec', () => {
  test('writes attributes under their stored names, with key and index entries, and reads them back', () => {
    expect(rows.write(probe)).toEqual(stored);
    expect(rows.read(rows.write(probe))).toStrictEqual(probe);
  });

  test('encodes a field that is a union of a plain form and an encoded one', () => {
    const either = defineRow<{ readonly when: number | 'never' }>()({
      attributes: { when: z.union([z.literal('never'), time]) },
      key: () => ({ pk: 'EITHER', sk: 'EITHER' }),
    });
    expect(either.write({ when: AT }).when).toBe('2026-11-21T12:00:00.000Z');
    expect(either.write({ when: 'never' }).when).toBe('never');
  });

  test('sets no attribute that the entity has not', () => {
    expect(() => rows.set({ secret: 'x' } as Partial<Probe>)).toThrow(TypeError);
  });

  test('writes only declared fields', () => {
    expect(rows.write({ ...probe, secret: 'x' } as Probe)).not.toHaveProperty('secret');
  });

  test('reads absent fields as absent, and ignores attributes that it does not know', () => {
    expect(Object.keys(rows.read({ ...stored, addedLater: true }))).toEqual([
      'id',
      'version',
      'revision',
      'at',
      'steps',
    ]);
    expect(rows.read({ ...stored, ends: '2026-11-21T12:00:01.000Z' }).until).toBe(AT + 1_000);
  });

  test.each([{ at: 'yesterday' }, { contentVersion: undefined }, { version: '8' }, { steps: [{}] }])(
    'refuses a row with %o',
    (wrong) => {
      expect(() => rows.read({ ...stored, ...wrong })).toThrow(z.ZodError);
    },
  );

  test('encodes a part of the fields for updates, without those that are undefined', () => {
    expect(rows.set({ revision: 9, until: AT, at: undefined })).toEqual({
      version: 9,
      ends: '2026-11-21T12:00:00.000Z',
    });
    expect(() => rows.set({ at: AT, secret: 'x' } as object)).toThrow(TypeError);
  });

  test('reads some fields of a partial row', () => {
    const { pk, sk, ends, contentVersion } = { ...stored, ends: '2026-11-21T12:00:01.000Z' };
    expect(rows.pick('version', 'until')({ pk, sk, ends, contentVersion })).toStrictEqual({
      version: 3,
      until: AT + 1_000,
    });
    expect(rows.pick('version', 'until')({ pk, sk, contentVersion })).toStrictEqual({ version: 3 });
  });

  test('makes keys of arguments that are no fields', () => {
    const parts = defineRow<Probe>()({ attributes, key: (each, part: string) => key(each, part) });
    expect(parts.write(probe, 'OTHER')).toMatchObject({ pk: 'PROBE#a', sk: 'OTHER' });
  });

  test('reads ids and compressed JSON back as they were', () => {
    const texts = z.array(z.string());
    const packed = defineRow<{ readonly id: ReturnType<typeof newId<'batch'>>; readonly texts: readonly string[] }>()({
      attributes: { id: id('batch'), texts: packedJson(1_000, (json): readonly string[] => texts.parse(json)) },
      key: (each) => ({ pk: each.id, sk: 'PACKED' }),
    });
    const entity = { id: newId('batch'), texts: ['ol\u00e1', ''] };
    expect(packed.write(entity).texts).toBeInstanceOf(Uint8Array);
    expect(packed.read(packed.write(entity))).toEqual(entity);
    expect(() => packed.read(packed.write({ ...entity, texts: ['x'.repeat(2_000)] }))).toThrow();
  });
});

describe('the version of a row', () => {
  interface Named {
    readonly id: string;
    readonly first: string;
    readonly last: string;
  }
  const newer = defineRow<Named>()({
    attributes: { id: z.string(), first: z.string(), last: z.string() },
    key: (named) => ({ pk: named.id, sk: 'NAMED' }),
    version: 3,
    versions: {
      1: ({ name, ...row }) => ({ ...row, fullName: name }),
      2: ({ fullName, ...row }) => {
        const [first = '', last = ''] = String(fullName).split(' ');
        return { ...row, first, last };
      },
    },
  });

  test('is written from the second on', () => {
    expect(newer.write({ id: 'a', first: 'Ana', last: 'Lima' })).toMatchObject({ shape: 3 });
    expect(rows.write(probe)).not.toHaveProperty('shape');
  });

  test.each([
    { name: 'Ana Lima' },
    { shape: 2, fullName: 'Ana Lima' },
    { shape: 3, first: 'Ana', last: 'Lima' },
    { shape: 4, first: 'Ana', last: 'Lima', title: 'Dra.' },
  ])('is lifted when it is read: %o', (row) => {
    expect(newer.read({ pk: 'a', sk: 'NAMED', id: 'a', ...row })).toStrictEqual({
      id: 'a',
      first: 'Ana',
      last: 'Lima',
    });
  });
});
