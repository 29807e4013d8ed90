import * as z from 'zod';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { ID_PREFIXES, type Id, type IdKind, isId } from '../../shared/domain/core/ids.ts';

/** An identifier of the given kind. */
export const id = <K extends IdKind>(kind: K, description: string) =>
  z
    .string()
    .refine((text) => isId(kind, text), `must be an id that begins with ${ID_PREFIXES[kind]}_`)
    .transform((text) => text as Id<K>)
    .meta({ description });

/** The organization that a command is about. */
export const organization = id('organization', 'the organization (org_…)');

/** A switch. */
export const flag = (description: string) => z.boolean().optional().meta({ description });

const oneOf = `must be ${ENVIRONMENTS.join(' or ')}`;
/** The environment. */
export const env = z.enum(ENVIRONMENTS, oneOf).meta({ description: 'live or test' });
/** One environment, or both when absent. */
export const optionalEnv = z
  .enum(ENVIRONMENTS, oneOf)
  .optional()
  .meta({ description: 'live or test; both when absent' });
/** The environments that `optionalEnv` selects. */
export const environmentsOf = (chosen: z.output<typeof optionalEnv>) => (chosen ? [chosen] : ENVIRONMENTS);

/** A whole number of at least `least`. */
export const wholeNumber = (least: number, description: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`))
    .meta({ description });

/** Text of 1 to 200 characters, trimmed. */
export const shortText = (description: string) => z.string().trim().min(1).max(200).meta({ description });

/** A comma-separated list of names. */
export const nameList = (description: string) =>
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

/** A time as ISO 8601 with an offset; parsed to ms. */
export const timestamp = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be ISO 8601 with an offset, as 2026-03-02T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .meta({ description });

/** Another table than that of the stage. */
export const otherTable = shortText(
  'another table of the account, such as a restored one (default: that of the stage)',
).optional();
