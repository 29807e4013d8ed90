import * as z from 'zod';
import { EVENT_SHAPES } from '../../shared/contracts/event-data.ts';

const SHAPES = new Map(
  Object.values(EVENT_SHAPES).flatMap(({ types, data }) =>
    types.map((type): [string, z.ZodObject] => [type, data.strict()]),
  ),
);

/**
 * The parts of an event's data that differ from the document of its type; undefined if none does. A type in no catalogue is undocumented.
 */
export const undocumentedIn = (type: string, data: unknown): string | undefined => {
  const error = SHAPES.get(type)?.safeParse(data).error;
  return error && `${type}: ${z.prettifyError(error)}`;
};
