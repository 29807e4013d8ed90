import type { ResendFilter } from '../domain/bulk/resend.ts';
import { MESSAGE_STATUSES } from '../domain/messages/message.ts';
import { CHANNELS, type Channel } from '../domain/messages/provider.ts';
import { UNIFIED_OF } from '../domain/messages/views.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Condition } from './expressions.ts';
import { parseMessage } from './message-rows.ts';
import { between } from './pages.ts';
import type { QueryRange, Row, Table } from './table.ts';

/** That a row may be sent anew, and is what the filter asks for: all of it stands on the narrow indexes. */
const wanted = ({ status, batchId }: ResendFilter): Condition => {
  const statuses = MESSAGE_STATUSES.filter((name) =>
    status ? UNIFIED_OF[name] === status : UNIFIED_OF[name] === 'queued' || UNIFIED_OF[name] === 'failed',
  );
  const named = Object.fromEntries(statuses.map((name, at) => [`is_${at}`, name]));
  return {
    text: `attribute_not_exists(#archivedAt) AND #status IN (${Object.keys(named)
      .map((name) => `:${name}`)
      .join(', ')})${batchId === undefined ? '' : ' AND #batchId = :batchId'}`,
    values: { ...named, ...(batchId === undefined ? {} : { batchId }) },
  };
};

const rangeOf = (organizationId: string, channel: Channel, filter: ResendFilter): QueryRange => {
  const { campaignId } = filter;
  const found =
    campaignId === undefined
      ? { index: 'gsi1' as const, partition: FINDS.messagesOf(organizationId, channel, '', '').gsi1pk }
      : {
          index: 'gsi3' as const,
          partition: FINDS.messagesOfCampaign(organizationId, campaignId, channel, '', '').gsi3pk,
        };
  const sort = between(filter);
  return { ...found, ...(sort ? { sort } : {}), filter: wanted(filter) };
};

const idOf = ({ pk }: Row): string => pk.slice(KEYS.message('').pk.length);
const orderOf = (row: Row): string => String(row.gsi1sk ?? row.gsi3sk);

/** Of full rows, those that failed for the reason. */
const failedFor = async (table: Table, rows: readonly Row[], errorCode: string): Promise<readonly Row[]> => {
  const full = await table.getMany(rows);
  return rows.filter((_, place) => {
    const row = full[place];
    return row !== undefined && parseMessage(row).reason === errorCode;
  });
};

/** What a channel has for the filter, oldest first, `most` at most. */
const ofChannel = async (
  table: Table,
  organizationId: string,
  channel: Channel,
  filter: ResendFilter,
  most: number,
) => {
  const range = rangeOf(organizationId, channel, filter);
  const found: Row[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const page = await table.query({ ...range, only: ['pk', 'sk', `${range.index}sk`], startKey });
    const { errorCode } = filter;
    found.push(...(errorCode === undefined ? page.rows : await failedFor(table, page.rows, errorCode)));
    startKey = page.nextKey;
  } while (startKey && found.length < most);
  return found;
};

/** The ids of the messages that a filter would send anew, oldest first, `most` at most. Reads narrow rows of the time that it names. */
export const findResendable = async (
  table: Table,
  organizationId: string,
  filter: ResendFilter,
  most: number,
): Promise<readonly string[]> => {
  if (filter.from > filter.to) return [];
  const channels = filter.channel ? [filter.channel] : CHANNELS;
  const found = await Promise.all(channels.map((channel) => ofChannel(table, organizationId, channel, filter, most)));
  return found
    .flat()
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .slice(0, most)
    .map(idOf);
};
