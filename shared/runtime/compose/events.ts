import type { DueHint } from '../../queues/queues.ts';
import { outbox } from '../../storage/outbox.ts';
import { logger, measure } from '../observe.ts';
import { clock, table } from './platform.ts';

const events = outbox(table);

/** Takes a committed event over. Repeats change nothing: it is marked once. */
export const publishEvent = async ({ pk }: DueHint): Promise<void> => {
  const id = pk.slice(pk.indexOf('#') + 1);
  const found = await events.read(id);
  if (!found || found.published) return;
  if (!(await events.markPublished(id, clock()))) return;
  const { type, organizationId } = found.event;
  measure({ type }, { Events: 1 });
  logger.info('event', { eventId: id, type, organizationId });
};
