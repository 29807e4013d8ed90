import type { InboundMessage } from '../../domain/message/inbound-message.ts';
import type { Table } from '../client/table.ts';

const DAY_SECONDS = 24 * 3600;

/**
 * The attribute by which DynamoDB deletes a row, and so hands it to the archiver: to be set by the write that ends it at a moment (ms), never
 * while its money is held. None where nothing is archived.
 */
export const leavesAfter = ({ archiveAfterDays }: Pick<Table, 'archiveAfterDays'>, at: number): { ttl?: number } =>
  archiveAfterDays === undefined ? {} : { ttl: Math.ceil(at / 1000) + archiveAfterDays * DAY_SECONDS };

/** Whose a row is that was written with an inbound message, under names that no index carries. */
export const personOf = ({ fromHash, contactId: fromContactId }: InboundMessage) => ({
  fromHash,
  ...(fromContactId === undefined ? {} : { fromContactId }),
});
