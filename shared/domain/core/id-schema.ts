import * as z from 'zod';
import { ID_PREFIXES, type Id, type IdKind, idPattern } from './ids.ts';

/** A string schema whose output is a branded id. */
export type IdSchema<K extends IdKind> = z.ZodString & { readonly _zod: { readonly output: Id<K> } };

/**
 * An id schema without a format check, for parameters that have always accepted any text: an unknown id answers 404 or an empty list,
 * whatever its format.
 */
export const looseId = <K extends IdKind>(_kind: K, text: z.ZodString): IdSchema<K> => text as IdSchema<K>;

/**
 * The id of another object to which this one is linked: an object that does not exist is refused by the rules of the area, whatever the
 * format of its id.
 */
export const linkId = <K extends IdKind>(kind: K, description: string): IdSchema<K> =>
  looseId(
    kind,
    z
      .string()
      .min(1)
      .max(128)
      .meta({ description, example: `${ID_PREFIXES[kind]}_4hJ9sKq2LmN8pRt5VwXz1` }),
  );

/** An id schema that checks prefix and length. */
export const idSchema = <K extends IdKind>(kind: K, description?: string): IdSchema<K> =>
  looseId(
    kind,
    z
      .string()
      .regex(idPattern(kind), `must be ${ID_PREFIXES[kind]}_ and 21 characters of 0-9, A-Z, a-z`)
      .meta({
        description: description ?? `Identifier: \`${ID_PREFIXES[kind]}_\` and 21 random characters.`,
        example: `${ID_PREFIXES[kind]}_4hJ9sKq2LmN8pRt5VwXz1`,
      }),
  );
