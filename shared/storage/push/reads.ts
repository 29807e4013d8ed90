import * as z from 'zod';
import {
  type DispatchStatus,
  dispatchId,
  type PushChunk,
  type PushDispatchRecord,
  parseDispatchId,
} from '../../domain/channels/push/dispatch.ts';
import {
  byPlatform,
  isPartOf,
  noOpens,
  type Opens,
  type PushMessage,
  type PushOrigin,
  type PushStatus,
  sumTallies,
  type Tally,
} from '../../domain/channels/push/message.ts';
import { type CursorItems, encodeCursor, openCursor } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal, Unavailable } from '../../domain/core/errors.ts';
import { type Id, isId } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { PushStatsReader } from '../../domain/push-messages/ports.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { signalWorkItems } from '../automation/run-signals.ts';
import { transactOnce } from '../client/claim-mark.ts';
import { allOf, oneOf } from '../client/conditions.ts';
import { type CursorRequest, cursorItems } from '../client/cursor-pages.ts';
import type { Condition, Update, WriteOp } from '../client/expressions.ts';
import { isEmpty, type Window } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { recordInteraction } from '../contacts/interactions.ts';
import { engagementWrites } from '../messages/engagement.ts';
import { messageRange, readListShards } from '../messages/message-lists.ts';
import { pushPartition } from '../partitions.ts';
import { readPushChunks, readPushMessage } from './create.ts';
import { pushDeviceRows } from './devices.ts';
import { opensOf, pushDispatchRows, readPushChunk, readPushMessageRow } from './push-rows.ts';

/** Messages whose stats are read concurrently. */
const MAX_CONCURRENT_READS = 10;

const readOwner = pushDeviceRows.pick('contactId');

const addOpens = (rows: readonly Row[]): Opens =>
  rows.map(opensOf).reduce((a, b) => byPlatform((name) => a[name] + b[name]), noOpens());

/** The rows below a message: its chunks, while they are needed, and its opens. */
const below = (table: Table, { id, tally }: PushMessage): Promise<Row[]> => {
  const first = tally ? 'OPENS#' : 'CHUNK#';
  const sort = { text: '#sk BETWEEN :first AND :last', values: { first, last: 'OPENS#~' } };
  return table.queryAll({ partition: pushPartition(id), sort });
};

const readStats = async (table: Table, message: PushMessage): Promise<{ tally: Tally; opens: Opens }> => {
  const rows = await below(table, message);
  const chunks = rows.filter(({ sk }) => sk.startsWith('CHUNK#')).map(readPushChunk);
  return {
    tally: message.tally ?? sumTallies(chunks.filter((chunk) => isPartOf(message, chunk)).map(({ tally }) => tally)),
    opens: addOpens(rows.filter(({ sk }) => sk.startsWith('OPENS#'))),
  };
};

/** The stats of push messages: one query per message, of the few relevant rows. */
export const pushStatsReader = (table: Table): PushStatsReader => ({
  statsOf: (messages) => mapConcurrently(messages, MAX_CONCURRENT_READS, (message) => readStats(table, message)),
});

export interface PushFilter extends Window {
  readonly status?: readonly PushStatus[] | undefined;
  readonly origin?: readonly PushOrigin[] | undefined;
}

/** Condition: the message has one of these origins; a row without one is from the API. */
const hasOrigin = (origins: readonly PushOrigin[]): Condition => {
  const named = oneOf('origin', origins);
  return origins.includes('api') ? { ...named, text: `(attribute_not_exists(#origin) OR ${named.text})` } : named;
};

/** A page of an organization's push messages, newest first. 400 for a cursor of another list. */
export const listPushMessages = async (
  table: Table,
  { status, origin, ...window }: PushFilter,
  request: CursorRequest,
): Promise<CursorItems<PushMessage> | Refusal<'BAD_REQUEST'>> => {
  if (isEmpty(window)) return { items: [] };
  const { organizationId } = request.scope;
  const condition = allOf([status && oneOf('status', status), origin && hasOrigin(origin)]);
  const shards = await readListShards(table, organizationId);
  const range = messageRange(organizationId, 'push', window, condition, shards);
  return cursorItems(table, range, request, (rows) => {
    const items = rows.flatMap((row) => readPushMessageRow(row) ?? []);
    // The index may show an outdated status: messages whose current status is not requested are left out.
    return status ? items.filter((message) => status.includes(message.status)) : items;
  });
};

/** A push message of the organization. */
export const ownPushMessage = async (
  table: Table,
  organizationId: Id<'organization'>,
  id: Id<'message'>,
): Promise<PushMessage | undefined> => {
  const message = isId('message', id) ? await readPushMessage(table, id) : undefined;
  return message?.organizationId === organizationId ? message : undefined;
};

/** Where a page of devices ended: the index of the chunk in the message, and of the device in the chunk. */
const position = z.strictObject({ chunk: z.int().min(0), place: z.int().min(0) });

/** At most `limit` devices of a chunk after an index. */
const after = async (table: Table, chunk: PushChunk, place: number, limit: number): Promise<PushDispatchRecord[]> => {
  if (place >= chunk.devices) return [];
  const { pk: partition, sk } = KEYS.pushDispatch(dispatchId(chunk, place));
  const { rows } = await table.query({ partition, sort: { text: '#sk >= :from', values: { from: sk } }, limit });
  return rows.map(pushDispatchRows.read);
};

/** A page of a message's devices, in the order in which they were queued. 400 for a cursor of another list. */
export const listPushDispatches = async (
  table: Table,
  message: PushMessage,
  request: CursorRequest,
): Promise<CursorItems<PushDispatchRecord> | Refusal<'BAD_REQUEST'>> => {
  const { vault, scope, limit } = request;
  const from = openCursor(position, request) ?? { chunk: 0, place: 0 };
  if (isRefusal(from)) return from;
  const chunks = (await readPushChunks(table, message.id)).filter((chunk) => isPartOf(message, chunk));
  const items: PushDispatchRecord[] = [];
  let { chunk, place } = from;
  for (; chunk < chunks.length; chunk++, place = 0) {
    const own = chunks[chunk];
    if (!own) break;
    if (items.length === limit) return { items, nextCursor: encodeCursor(vault, scope, { chunk, place }) };
    items.push(...(await after(table, own, place, limit - items.length)));
    const last = items.at(-1);
    const next = last ? parseDispatchId(last.id).place + 1 : 0;
    if (items.length === limit && next < own.devices)
      return { items, nextCursor: encodeCursor(vault, scope, { chunk, place: next }) };
  }
  return { items };
};

/**
 * Whether the notification may have reached its device: neither failed nor unsent. An open may be reported before the acceptance is stored.
 */
const mayBeOpen = async (table: Table, { status, messageId }: PushDispatchRecord): Promise<boolean> => {
  if (status !== 'queued') return status === 'delivered';
  return (await readPushMessage(table, messageId))?.status !== 'queued';
};

/** Advances the last interaction of a device's contact. One read, and one write if there is a contact. */
const recordOpener = async (
  table: Table,
  { organizationId, tokenId }: PushDispatchRecord,
  at: number,
): Promise<void> => {
  const row = await table.get(KEYS.pushToken(organizationId, tokenId), { only: ['contactId'] });
  const { contactId } = row ? readOwner(row) : {};
  if (contactId !== undefined)
    await recordInteraction(table, { organizationId, contactId, lastInteractionAt: at, updatedAt: at });
};

/** The write that marks a device's first open. */
const openedWrite = ({ id }: PushDispatchRecord, at: number): Update => ({
  update: KEYS.pushDispatch(id),
  set: pushDispatchRows.set({ openedAt: at }),
  when: {
    text: 'attribute_exists(#pk) AND attribute_not_exists(#openedAt) AND #status <> :failed',
    values: { failed: 'failed' satisfies DispatchStatus },
  },
});

/** Attempts on conflicts with opens of the same message by other devices. */
const MAX_ATTEMPTS = 5;

/**
 * Counts the open of a device; false if it was counted before. For a message of a journey or a campaign it also counts as an open of the
 * message: the first one is counted there, and signalled to the run.
 */
const countOpen = async (
  table: Table,
  dispatch: PushDispatchRecord,
  at: number,
  raised: (workItems: readonly Publishable[]) => void,
): Promise<boolean> => {
  const { id, messageId, platform, automated } = dispatch;
  const opens: WriteOp = { update: KEYS.pushOpens(messageId, parseDispatchId(id).shard), add: { [platform]: 1 } };
  const message = automated && (await readPushMessage(table, messageId))?.record;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const engaging = message ? await engagementWrites(table, { message, what: 'opened', at }) : { writes: [] };
    const outcome = await transactOnce(table, openedWrite(dispatch, at), [opens, ...engaging.writes]);
    if (outcome.ok) raised(signalWorkItems(engaging.signal));
    if (outcome.ok || outcome.reasons[0]?.conditionFailed) return outcome.ok;
  }
  throw new Unavailable('The message is opened too fast to be counted.');
};

/**
 * Counts the first open of a device's push message; undefined if the organization has no such dispatch. A notification that reached no
 * device is never counted, so that opens never exceed acceptances. `raised` gets what can be published early.
 */
export const openPushDispatch = async (
  table: Table,
  organizationId: Id<'organization'>,
  id: Id<'pushDispatch'>,
  at: number,
  raised: (workItems: readonly Publishable[]) => void,
): Promise<{ readonly dispatch: PushDispatchRecord; readonly counted: boolean } | undefined> => {
  const row = isId('pushDispatch', id) ? await table.get(KEYS.pushDispatch(id)) : undefined;
  const dispatch = row && pushDispatchRows.read(row);
  if (dispatch?.organizationId !== organizationId) return undefined;
  if (dispatch.openedAt !== undefined || !(await mayBeOpen(table, dispatch))) return { dispatch, counted: false };
  // Before the open is counted, so that a counted one is never missing from its contact.
  await recordOpener(table, dispatch, at);
  const counted = await countOpen(table, dispatch, at, raised);
  return { dispatch: counted ? { ...dispatch, openedAt: at } : dispatch, counted };
};
