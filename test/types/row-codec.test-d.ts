import * as z from 'zod';
import type { Id } from '../../shared/domain/core/ids.ts';
import { id, time } from '../../shared/storage/client/attributes.ts';
import { defineRow } from '../../shared/storage/client/row-codec.ts';

/**
 * The types that the declaration of a row gives its attributes. The compiler is the test runner: a line below that stops failing makes its
 * `@ts-expect-error` an error.
 */
interface Probe {
  readonly id: Id<'message'>;
  readonly at: number;
  readonly until?: number | undefined;
  readonly note?: string;
  readonly steps: readonly { readonly kind: 'a' | 'b'; readonly detail?: string | undefined }[];
}
const key = () => ({ pk: 'a', sk: 'b' });
const steps = z.array(z.object({ kind: z.enum(['a', 'b']), detail: z.string().optional() }));
const attributes = { id: id('message'), at: time, until: time.optional(), note: z.string().exactOptional(), steps };
const probe = defineRow<Probe>();

const rows = probe({ attributes, key });
rows.set({ at: 1, until: undefined });
const { until: _until, ...withoutUntil } = attributes;

// @ts-expect-error An optional field without an attribute.
probe({ attributes: withoutUntil, key });
// @ts-expect-error An attribute of no field.
probe({ attributes: { ...attributes, other: z.string() }, key });
// @ts-expect-error A field that must be there, of an attribute that may be absent.
probe({ attributes: { ...attributes, at: time.optional() }, key });
// @ts-expect-error A field that may be absent, of an attribute that must be there.
probe({ attributes: { ...withoutUntil, until: time }, key });
// @ts-expect-error A field that is never undefined, of an attribute that may be.
probe({ attributes: { ...attributes, note: z.string().optional() }, key });
// @ts-expect-error The id of another kind.
probe({ attributes: { ...attributes, id: id('contact') }, key });
// @ts-expect-error A text where the field is one of two.
probe({
  attributes: { ...attributes, steps: z.array(z.object({ kind: z.string(), detail: z.string().optional() })) },
  key,
});
// @ts-expect-error An optional field of a nested object without an attribute.
probe({ attributes: { ...attributes, steps: z.array(z.object({ kind: z.enum(['a', 'b']) })) }, key });
// @ts-expect-error Another name for what is no field.
probe({ attributes, rename: { nothing: 'x' }, key });
// @ts-expect-error A part of the fields has no others.
rows.set({ nothing: 1 });
// @ts-expect-error Only what was picked is read.
void rows.pick('at')({ pk: 'a', sk: 'b' }).note;
