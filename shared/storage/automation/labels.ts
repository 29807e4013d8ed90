import * as z from 'zod';
import { id } from '../client/attributes.ts';

/** The step of a journey, as its messages store it. */
export const journeyLabel = z.object({
  journeyId: id('journey'),
  stepId: z.string(),
  runId: id('run'),
  awaited: z.literal(true).optional(),
  firstId: id('message').optional(),
});
