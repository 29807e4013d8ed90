import * as z from 'zod';
import { EVENT_SHAPES } from '../../shared/contracts/event-data.ts';

const SHAPES = new Map(
  Object.values(EVENT_SHAPES).flatMap(({ types, data }) =>
    types.map((type): [string, z.ZodObject] => [type, data.strict()]),
  ),
);

/** What of an event's data is not as the document describes its type; undefined if all is. A type that is in no catalogue is not described. */
export const undocumentedIn = (type: string, data: unknown): string | undefined => {
  const error = SHAPES.get(type)?.safeParse(data).error;
  return error && `${type}: ${z.prettifyError(error)}`;
};
