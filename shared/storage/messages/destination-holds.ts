import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { DestinationHold } from '../../domain/sending/judge-destination.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { PARSE_KEY } from '../parse-key.ts';

const until = z.int();

/**
 * The SMS prefixes that are or were held for an organization, with the end of each hold in ms. One query; a prefix is a row of 100 bytes.
 */
export const readHolds = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<ReadonlyMap<string, number>> => {
  const { pk: partition } = KEYS.destinationHold(organizationId, '');
  const rows = await table.queryAll({ partition });
  return new Map(rows.map((row) => [PARSE_KEY.destinationHold(row).prefix, until.parse(row.until)]));
};

/** Holds a prefix and raises its event, in one transaction. False if it is already held. */
export const holdDestination = async (
  table: Table,
  { organizationId, prefix, event, ...hold }: DestinationHold,
): Promise<boolean> => {
  const key = KEYS.destinationHold(organizationId, prefix);
  const outcome = await table.transact([
    {
      put: { ...key, until: hold.until, eventId: event.id, ttl: Math.ceil(hold.until / 1000) },
      when: { text: 'attribute_not_exists(#pk) OR #until <= :now', values: { now: event.createdAt } },
    },
    eventWrite(event),
  ]);
  // A repeat of its own commit, whose response was lost, fails its condition.
  return outcome.ok || outcome.reasons[0]?.row?.eventId === event.id;
};
