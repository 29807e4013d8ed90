import type { InboundMessage } from '../../domain/message/inbound-message.ts';
import type { Table } from '../client/table.ts';

const DAY_SECONDS = 24 * 3600;

/**
 * The attribute that lets DynamoDB expire a row and thereby pass it to the archiver: set by the write that ends it at a time (ms), never
 * while its money is held. None if nothing is archived.
 */
export const archiveExpiry = ({ archiveAfterDays }: Pick<Table, 'archiveAfterDays'>, at: number): { ttl?: number } =>
  archiveAfterDays === undefined ? {} : { ttl: Math.ceil(at / 1000) + archiveAfterDays * DAY_SECONDS };

/** The person of a row written with an inbound message, in attributes that no index projects. */
export const personOf = ({ fromHash, contactId: fromContactId }: InboundMessage) => ({
  fromHash,
  ...(fromContactId === undefined ? {} : { fromContactId }),
});
