import * as z from 'zod';
import { ENVIRONMENTS } from '../../shared/domain/actor.ts';
import { ID_PREFIXES, type Id, type IdKind, isId } from '../../shared/domain/ids.ts';

/** An identifier of a kind. */
export const id = <K extends IdKind>(kind: K, description: string) =>
  z
    .string()
    .refine((text) => isId(kind, text), `must be an id that begins with ${ID_PREFIXES[kind]}_`)
    .transform((text) => text as Id<K>)
    .meta({ description });

const oneOf = `must be ${ENVIRONMENTS.join(' or ')}`;
/** The environment to work on. */
export const env = z.enum(ENVIRONMENTS, oneOf).meta({ description: 'live or test' });
/** The environment to work on, when one is named; else both. */
export const someEnv = z.enum(ENVIRONMENTS, oneOf).optional().meta({ description: 'live or test; both when absent' });
/** The environments that an optional choice means. */
export const environmentsOf = (chosen: z.output<typeof someEnv>) => (chosen ? [chosen] : ENVIRONMENTS);

/** A whole number from the text of an option. */
export const wholeNumber = (least: number, description: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`))
    .meta({ description });

/** Text of a sensible length. */
export const words = (description: string) => z.string().trim().min(1).max(200).meta({ description });

/** Names separated by commas. */
export const names = (description: string) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.string()).min(1, 'must name at least one'))
    .meta({ description });

/** A moment as ISO 8601 with its offset, in ms. */
export const moment = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be ISO 8601 with an offset, as 2026-03-02T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .meta({ description });
