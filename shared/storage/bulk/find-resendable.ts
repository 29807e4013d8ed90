import type { ResendFilter } from '../../domain/bulk/resend.ts';
import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { MESSAGE_STATUSES } from '../../domain/message/message.ts';
import { UNIFIED_OF } from '../../domain/tracking/views.ts';
import { allOf, equal, oneOf } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import { partsOf } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { messageRange, readListShards } from '../messages/message-lists.ts';
import { messageRows } from '../messages/message-rows.ts';
import { PARSE_KEY } from '../parse-key.ts';

/** Condition: a message may be resent and matches the filter. The narrow indexes project every attribute it needs. */
const mergeRequested = ({ status, batchId }: ResendFilter): Condition | undefined => {
  const statuses = MESSAGE_STATUSES.filter((name) =>
    status ? UNIFIED_OF[name] === status : UNIFIED_OF[name] === 'queued' || UNIFIED_OF[name] === 'failed',
  );
  return allOf([{ text: 'attribute_not_exists(#archivedAt)' }, oneOf('status', statuses), equal({ batchId })]);
};

const orderOf = (row: Row): string => String(row.gsi1sk ?? row.gsi3sk);

/** Of these rows, the messages that failed with the error code; reads the full rows. */
const failedFor = async (table: Table, rows: readonly Row[], errorCode: string): Promise<readonly Row[]> => {
  const full = await table.getMany(rows);
  return rows.filter((_, place) => {
    const row = full[place];
    return row !== undefined && messageRows.read(row).reason === errorCode;
  });
};

/** A channel's messages that match the filter, oldest first, at most `max`. */
const ofChannel = async (
  table: Table,
  organizationId: Id<'organization'>,
  channel: Channel,
  filter: ResendFilter,
  max: number,
  shards: number,
) => {
  const { campaignId, from, to, errorCode } = filter;
  const range = messageRange(organizationId, channel, { campaignId, from, to }, mergeRequested(filter), shards);
  const found = await Promise.all(partsOf(range).map((part) => ofPart(table, part, errorCode, max)));
  return found.flat();
};

/** The rows of one partition that failed with the error code, or all that match, oldest first, at least `max` if there are as many. */
const ofPart = async (table: Table, range: QueryRange, errorCode: string | undefined, max: number) => {
  const found: Row[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const page = await table.query({ ...range, only: ['pk', 'sk', `${range.index}sk`], startKey });
    found.push(...(errorCode === undefined ? page.rows : await failedFor(table, page.rows, errorCode)));
    startKey = page.nextKey;
  } while (startKey && found.length < max);
  return found;
};

/** The ids of the messages that a filter selects for resending, oldest first, at most `max`. Reads narrow index rows within the filter's time range. */
export const findResendable = async (
  table: Table,
  organizationId: Id<'organization'>,
  filter: ResendFilter,
  max: number,
): Promise<readonly Id<'message'>[]> => {
  if (filter.from > filter.to) return [];
  const channels = filter.channel ? [filter.channel] : CHANNELS;
  const shards = await readListShards(table, organizationId);
  const found = await Promise.all(
    channels.map((channel) => ofChannel(table, organizationId, channel, filter, max, shards)),
  );
  return found
    .flat()
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .slice(0, max)
    .map(PARSE_KEY.message);
};
