import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/core/actor.ts';
import { looseId } from '../domain/core/id-schema.ts';
import type { IdKind } from '../domain/core/ids.ts';

/**
 * A field and its documentation: any text, a text of 1 to `maximum` characters, a boolean (each also optional), a whole number from 1 or
 * from 0.
 */
export const text = (description: string, example?: string) => z.string().meta({ description, example });
export const boundedText = (maximum: number, description: string, example?: string) =>
  z.string().min(1).max(maximum).meta({ description, example });
export const optionalText = (description: string, example?: string) =>
  z.string().optional().meta({ description, example });
export const optionalBoundedText = (maximum: number, description: string, example?: string) =>
  z.string().min(1).max(maximum).optional().meta({ description, example });
export const optionalFlag = (description: string, example?: boolean) =>
  z.boolean().optional().meta({ description, example });
export const flag = (description: string, example?: boolean) => z.boolean().meta({ description, example });
export const ordinal = (description: string, example?: number) => z.int().min(1).meta({ description, example });
export const count = (description: string, example?: number) => z.int().min(0).meta({ description, example });

/** A name or title, of one line: control characters could break headers or lists of values. White space around it is dropped. */
export const oneLine = (maximum: number, description: string, example: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maximum)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters')
    .meta({ description, example });

/** A named object in the document: of a response, which may gain fields; of a body, which rejects unknown fields. */
export const openObject = <const F extends z.ZodRawShape>(id: string, description: string, fields: F) =>
  z.object(fields).meta({ id, description });
export const closedObject = <const F extends z.ZodRawShape>(id: string, description: string, fields: F) =>
  z.strictObject(fields).meta({ id, description });
/** An object nested in a response, without a name of its own. */
export const part = <const F extends z.ZodRawShape>(description: string, fields: F) =>
  z.object(fields).meta({ description });

/** A path parameter with any text. */
export const pathText = (description: string) => boundedText(128, description);

/** An id in a path. Any text is accepted, since an unknown id is 404 whatever its format. */
export const pathId = <K extends IdKind>(kind: K, description: string) => looseId(kind, pathText(description));

/** ISO 8601 with any offset; responses are always in UTC with milliseconds. */
export const dateTime = (description: string) =>
  z.iso.datetime({ offset: true }).meta({ description, example: '2026-03-02T14:05:09.120Z' });

export const environment = z
  .enum(ENVIRONMENTS)
  .meta({ description: 'The environment of the credential: live or test (sandbox).', example: 'test' });

export const coins = (description: string) =>
  z.int().meta({ description: `${description} In coins: 1 coin = R$ 0.0001.`, example: 800 });

const wholeNumber = (text: z.ZodString) => text.regex(/^\d{1,9}$/, 'must be a whole number').transform(Number);

/** A whole number from 1 to `maximum`, as text in the query. */
export const numberUpTo = (maximum: number, fallback: number, description: string) =>
  wholeNumber(z.string())
    .pipe(z.int().min(1).max(maximum))
    .default(fallback)
    .meta({ description, example: String(fallback), param: {} });

/** `limit` of a list: 1 to `maximum`, as text in the query. */
export const limit = (fallback: number, maximum: number) =>
  numberUpTo(maximum, fallback, `Maximum number of items: 1 to ${maximum}; ${fallback} when absent.`);

/** `skip` of a list: how many of the newest items to leave out. At most 100,000; beyond that, narrow the list by time. */
const skip = wholeNumber(z.string())
  .pipe(z.int().min(0).max(100_000))
  .default(0)
  .meta({ description: 'How many of the first items to skip.', example: '0' });

/** The query of a list that pages by offset. */
export const paged = (fallback: number, maximum: number) => ({ limit: limit(fallback, maximum), skip });

/** The query and response fields of a list that pages by cursor. */
export const cursor = z.string().max(2048).optional().meta({ description: "The previous page's nextCursor." });
export const nextCursor = optionalText('Pass it as cursor for the next page; absent at the end.');

/** The query of a list that pages by cursor. */
export const byCursor = (fallback: number, maximum: number) => ({ limit: limit(fallback, maximum), cursor });

/** A page of a list under its name in the document, with the total that matches the filter. `title` names the items where `what` is too short. */
export const pageOf = <T extends z.ZodType>(item: T, id: string, what: string, title = what) =>
  openObject(id, `A page of ${title}.`, {
    items: z.array(item).meta({ description: `The ${what} of this page, newest first.` }),
    total: count(`How many ${what} match, on all pages.`, 1),
  });

/** A page of a list that pages by cursor. */
export const cursorPageOf = <T extends z.ZodType>(
  item: T,
  id: string,
  title: string,
  what: string,
  order = ', newest first',
) =>
  openObject(id, `A page of ${title}.`, {
    items: z.array(item).meta({ description: `The ${what} of this page${order}.` }),
    nextCursor,
  });

/** Format of an Idempotency-Key: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** A query or filter whose `to` must not be before its `from`, if both are given. */
export const inOrder = <T extends z.ZodType<{ from?: string | undefined; to?: string | undefined }>>(schema: T): T =>
  schema.refine(({ from, to }) => from === undefined || to === undefined || !(Date.parse(to) < Date.parse(from)), {
    path: ['to'],
    message: 'must not be before from',
  });
