import * as z from 'zod';
import { NUMBER_STATUSES, type WhatsappNumber } from '../domain/numbers/number.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { parseLastInbound, readWindows } from './inbound.ts';
import type { Row, Table } from './table.ts';
import { readTogether } from './together.ts';

/** What a send needs of a WhatsApp number besides its access token. */
export type NumberSender = Pick<WhatsappNumber, 'id' | 'organizationId' | 'phoneNumberId' | 'status'>;
const stored = z.object({
  id: z.string(),
  org: z.string(),
  phoneNumberId: z.string(),
  status: z.enum(NUMBER_STATUSES),
});
const parse = (row: Row): NumberSender => {
  const { org: organizationId, ...fields } = stored.parse(row);
  return { ...fields, organizationId } as NumberSender;
};

/** A number by our id of it, whoever's it is; undefined once it is disconnected. One read. */
export const readNumberSender = async (table: Table, id: string): Promise<NumberSender | undefined> => {
  const row = await table.get(KEYS.number(id));
  return row && parse(row);
};

/** Whom a message goes to, by the organization's blind index of it. */
interface Recipient {
  readonly organizationId: string;
  readonly hash: string;
}
/** Which number a message leaves from, by our id: none where the provider's own sends. And when its recipient last wrote there, in ms. */
export interface FoundSender {
  readonly id?: string | undefined;
  readonly wroteAt?: number | undefined;
}

/**
 * The number that a send names; undefined when the organization has none such. `windowed` asks when the recipient wrote there too. One
 * call, which those share that ask at once.
 */
export const readNamedSender = async (
  table: Table,
  { organizationId, hash }: Recipient,
  id: string,
  windowed: boolean,
): Promise<FoundSender | undefined> => {
  const window = windowed ? [KEYS.lastInbound(organizationId, 'whatsapp', hash, id)] : [];
  const [number, last] = await readTogether(table, [KEYS.number(id), ...window]);
  if (!number || parse(number).organizationId !== organizationId) return undefined;
  return { id, wroteAt: last && parseLastInbound(last) };
};

/** The ids of an organization's numbers, two at most: enough to tell none, the only one and several apart. */
const readSomeIds = async (table: Table, organizationId: string): Promise<readonly string[]> => {
  const { rows } = await table.query({
    index: 'gsi1',
    partition: FINDS.numbersOf(organizationId, '', '').gsi1pk,
    only: ['pk'],
    limit: 2,
  });
  return rows.map(({ pk }) => pk.slice(pk.indexOf('#') + 1));
};

/**
 * The number that a send leaves from which names none: the organization's only one; of several the one that the recipient last wrote to
 * while it is connected, since an answer comes from where it was asked. `windowed` asks when the recipient wrote there too. One round
 * trip; of several, one more.
 */
export const readUsualSender = async (table: Table, recipient: Recipient, windowed: boolean): Promise<FoundSender> => {
  const { organizationId } = recipient;
  const windows = () => readWindows(table, organizationId, { channel: 'whatsapp', hash: recipient.hash });
  const [[only, ...others], asked] = await Promise.all([
    readSomeIds(table, organizationId),
    windowed ? windows() : undefined,
  ]);
  if (others.length === 0) return { id: only, wroteAt: asked?.get(only ?? '') };
  const known = asked ?? (await windows());
  const [latest] = [...known.keys()].filter((id) => id !== '');
  const number = latest === undefined ? undefined : await readNumberSender(table, latest);
  const usable = number?.organizationId === organizationId && number.status !== 'disconnected';
  const id = usable ? number.id : undefined;
  return { id, wroteAt: windowed ? known.get(id ?? '') : undefined };
};
