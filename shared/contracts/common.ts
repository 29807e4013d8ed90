import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import { ID_PREFIXES, type IdKind, idPattern } from '../domain/ids.ts';

/** An identifier of a kind, as text of the right shape. */
export const idOf = (kind: IdKind, description?: string) =>
  z
    .string()
    .regex(idPattern(kind), `must be ${ID_PREFIXES[kind]}_ and 21 characters of 0-9, A-Z, a-z`)
    .meta({
      description: description ?? `Identifier: \`${ID_PREFIXES[kind]}_\` and 21 random characters.`,
      example: `${ID_PREFIXES[kind]}_4hJ9sKq2LmN8pRt5VwXz1`,
    });

/** An identifier in a path: any text, since what is not there is 404 whatever its shape. */
export const pathId = (description: string) => z.string().min(1).max(128).meta({ description });

/** ISO 8601 in UTC or with an offset; answers are always in UTC with milliseconds. */
export const dateTime = (description: string) =>
  z.iso.datetime({ offset: true }).meta({ description, example: '2026-03-02T14:05:09.120Z' });

export const environment = z
  .enum(ENVIRONMENTS)
  .meta({ description: 'The environment of the credential: live or test (sandbox).', example: 'test' });

/** A whole number of coins. */
export const coins = (description: string) =>
  z.int().meta({ description: `${description} In coins: 1 coin = R$ 0.0001.`, example: 800 });

const wholeNumber = (text: z.ZodString) => text.regex(/^\d{1,9}$/, 'must be a whole number').transform(Number);

/** `limit` of a list: 1 to `maximum`, as text in the query. */
export const limit = (fallback: number, maximum: number) =>
  wholeNumber(z.string())
    .pipe(z.int().min(1).max(maximum))
    .default(fallback)
    .meta({
      description: `How many items at most: 1 to ${maximum}; ${fallback} when absent.`,
      example: String(fallback),
      param: {},
    });

/** `skip` of a list: how many of the newest items to leave out. At most 100,000: beyond it, narrow by time. */
export const skip = wholeNumber(z.string())
  .pipe(z.int().min(0).max(100_000))
  .default(0)
  .meta({ description: 'How many of the first items to leave out.', example: '0' });

/** A one-page answer with the total of the filter. */
export const pageOf = <T extends z.ZodType>(item: T, what: string) =>
  z.object({
    items: z.array(item).meta({ description: `The ${what} of this page, newest first.` }),
    total: z
      .int()
      .min(0)
      .meta({ description: `How many ${what} match, on all pages.`, example: 1 }),
  });

/** A key of idempotency: chosen by the caller, 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
