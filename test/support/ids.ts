import { ID_PREFIXES, type Id, type IdKind, newId, parseId } from '../../shared/domain/core/ids.ts';
import type { QueuedMessage } from '../../shared/domain/message/message.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';

/** A readable identifier: the name, padded to an identifier's length. */
export const idNamed = <K extends IdKind>(kind: K, name: string): Id<K> =>
  parseId(kind, `${ID_PREFIXES[kind]}_${name.padEnd(21, '0')}`);

/** A message as its work items see it, for tests that know only its id. */
export const queuedMessage = (id: Id<'message'>): QueuedMessage => ({
  id,
  organizationId: newId('organization'),
  priority: 'normal',
  route: 'premium',
});

/** The events that are published among some work. */
export const eventIdsOf = (workItems: readonly Pick<WorkItem, 'kind' | 'pk'>[]): Id<'event'>[] =>
  workItems.filter(({ kind }) => kind === 'publish_event').map(PARSE_KEY.event);
