import type { FoundNumber, Recipient } from '../../domain/channels/meta/sender.ts';
import type { WhatsappNumber } from '../../domain/channels/whatsapp/numbers/number.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { coalescedRead } from '../client/coalescer.ts';
import { sharedRead } from '../client/shared-read.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { parseLastInbound, readWindows } from '../messages/inbound.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { readRow } from '../read-row.ts';
import { numberRows } from './numbers.ts';

/** The data of a WhatsApp number that a send needs, besides its access token. */
export type NumberSender = Pick<WhatsappNumber, 'id' | 'organizationId' | 'phoneNumberId' | 'status'>;
const readSender = numberRows.pick('id', 'organizationId', 'phoneNumberId', 'status');

/** A number by our id, of any organization; undefined once it is disconnected. One read. */
export const readNumberSender = (table: Table, id: Id<'number'>): Promise<NumberSender | undefined> =>
  readRow(table, KEYS.number(id), readSender);

/**
 * The number that a send names; undefined when the organization has no such number. `needsWindow` also reads when the recipient last wrote there.
 * One call, shared by concurrent sends.
 */
export const readNamedSender = async (
  table: Table,
  { organizationId, hash }: Recipient,
  id: Id<'number'>,
  needsWindow: boolean,
): Promise<FoundNumber | undefined> => {
  const window = needsWindow ? [KEYS.lastInbound(organizationId, 'whatsapp', hash, id)] : [];
  const [number, last] = await coalescedRead(table, [KEYS.number(id), ...window]);
  if (!number || readSender(number).organizationId !== organizationId) return undefined;
  return { id, lastInboundAt: last && parseLastInbound(last) };
};

/** At most two ids of an organization's numbers: enough to distinguish none, one and several. */
const readSomeIds = async (table: Table, organizationId: Id<'organization'>): Promise<readonly Id<'number'>[]> => {
  const { gsi1pk: partition } = INDEX_KEYS.numbersOf(organizationId, '', '');
  const { rows } = await sharedRead(table, partition, () =>
    table.query({ index: 'gsi1', partition, only: ['pk'], limit: 2 }),
  );
  return rows.map(PARSE_KEY.number);
};

/**
 * The number for a send that names none: the organization's only one; of several, the connected one that the recipient last wrote to.
 * `needsWindow` also reads when the recipient last wrote there. One round trip; of several, one more.
 */
export const readUsualSender = async (
  table: Table,
  recipient: Recipient,
  needsWindow: boolean,
): Promise<FoundNumber> => {
  const { organizationId } = recipient;
  const windows = () => readWindows(table, organizationId, { channel: 'whatsapp', hash: recipient.hash });
  const [[only, ...others], needed] = await Promise.all([
    readSomeIds(table, organizationId),
    needsWindow ? windows() : undefined,
  ]);
  if (others.length === 0) return { id: only, lastInboundAt: needed?.get(only ?? '') };
  const known = needed ?? (await windows());
  const latest = [...known.keys()].find((id) => id !== '');
  const number = latest ? await readNumberSender(table, latest) : undefined;
  const usable = number?.organizationId === organizationId && number.status !== 'disconnected';
  const id = usable ? number.id : undefined;
  return { id, lastInboundAt: needsWindow ? known.get(id ?? '') : undefined };
};
