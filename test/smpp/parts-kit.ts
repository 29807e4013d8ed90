import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { Provider } from '../../shared/domain/message/provider-port.ts';
import { endedIds, parsePartId } from '../../shared/domain/smpp/assembly.ts';
import { workOnParts } from '../../shared/domain/smpp/expire-parts.ts';
import { type SubmittedPart, submitPart } from '../../shared/domain/smpp/parts.ts';
import type { SmppSubmitter } from '../../shared/domain/smpp/send.ts';
import type { PartsPorts } from '../../shared/domain/smpp/send-parts.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { charactersOf, DATA_CODINGS, type DataCoding, encodeText } from '../../shared/smpp/data-coding.ts';
import { joinParts } from '../../shared/smpp/parts.ts';
import { ABSENT } from '../../shared/storage/client/conditions.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { readIdempotencyRecord } from '../../shared/storage/messages/idempotency.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { partsStore } from '../../shared/storage/smpp/parts.ts';
import { chooseDebitLane } from '../../shared/storage/wallet/debit.ts';
import { readVolume } from '../../shared/storage/wallet/volumes.ts';
import { PLAIN, type World } from '../support/world.ts';
import { submitPortsOf } from '../support/world-queued.ts';

const reportPartition = (organizationId: string): string => `TOLD#${organizationId}`;

/** The ports of a process that has this table for its own. */
export const partsPortsOf = (world: World, own: Table = world.table): PartsPorts => ({
  ...world.ports,
  ...submitPortsOf(world),
  messageStore: messageStore(own, (published) => void world.workItems.push(...published), PLAIN),
  debitLane: ({ organizationId }, of) => chooseDebitLane(own, organizationId, of),
  volume: async (organizationId, _, month) => readVolume(own, organizationId, 'sms', month),
  idempotencyRecord: (organizationId, key, now) => readIdempotencyRecord(own, organizationId, key, now),
  // A row that nothing may write again.
  parts: partsStore(own, (assembly) => {
    const ids = assembly.endedAt === undefined ? [] : endedIds(assembly);
    const put = { pk: reportPartition(assembly.organizationId), sk: assembly.id, ids };
    return ids.length > 0 ? [{ put, when: ABSENT }] : [];
  }),
  joinText: (parts) =>
    joinParts(
      parts.map(({ coding, bytes }) => ({ coding: coding as DataCoding, bytes: Buffer.from(bytes, 'base64') })),
    ),
});

export interface PartFields extends Partial<Omit<SubmittedPart, 'content' | 'receipt'>> {
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly coding?: DataCoding;
  readonly wants?: SubmittedPart['receipt']['wants'];
}

/** A part of the message with the reference 7, by default. */
export const partOf = (
  number: number,
  { text = `part ${number} `, coding = 8, wants = 'always', ...fields }: PartFields = {},
): SubmittedPart => {
  const bytes = fields.bytes ?? encodeText(text, coding);
  if (!bytes) throw new Error('no text of that coding');
  return {
    destination: '+5511987654321',
    form: '8',
    reference: 7,
    total: 2,
    number,
    content: { coding, bytes: Buffer.from(bytes).toString('base64') },
    characters: charactersOf(bytes, coding),
    receipt: { wants },
    ...fields,
  };
};
export const GSM = DATA_CODINGS.gsm;

/** An account of an organization with so many coins; its parts are submitted through any process's ports. */
export const partsAccount = async (world: World, coins = 1_000_000) => {
  const { organizationId } = await world.organization(coins);
  const account: SmppSubmitter = { id: newId('smppAccount'), organizationId, route: 'premium', senderId: undefined };
  const ports = partsPortsOf(world);
  /** The numbers of the parts that were reported, since their message expired or was cancelled. */
  const reported = async (): Promise<number[]> => {
    const rows = await world.table.queryAll({ partition: reportPartition(organizationId), consistent: true });
    const ids = rows.flatMap((row) => row.ids as readonly string[]);
    return ids.map((id) => parsePartId(id)?.number ?? 0).sort((one, other) => one - other);
  };
  const submit = (part: SubmittedPart, over: Partial<PartsPorts> = {}, as: Partial<SmppSubmitter> = {}) =>
    submitPart({ ...ports, ...over }, { env: 'live' }, { ...account, ...as }, part);
  /** The id that a part was answered with. */
  const take = async (...args: Parameters<typeof submit>): Promise<string> => {
    const outcome = await submit(...args);
    if (outcome.kind === 'refused') throw new Error(`${outcome.status} ${outcome.detail}`);
    return outcome.messageId;
  };
  return { organizationId, account, ports, reported, submit, take };
};

/** The parts' work items that are due. */
export const duePartsOf = (world: World): Promise<WorkItem[]> => overdue(world.table, 'smpp_parts', world.now, 1_000);

/** Works off the parts that are due. */
export const workOffParts = async (world: World, ports: PartsPorts): Promise<number> => {
  const items = await duePartsOf(world);
  for (const item of items) await workOnParts(ports, PARSE_KEY.smppParts(item));
  return items.length;
};

const callsKey = (messageId: string) => ({ pk: `CALLS#${messageId}`, sk: 'CALLS' });

/** How often a provider of any process was called for a message. */
export const callsOf = async (table: Table, messageId: string): Promise<number> =>
  Number((await table.get(callsKey(messageId)))?.calls ?? 0);

/** A provider that all processes share, and that remembers what it took: in the table, as one that outlives them. */
export const sharedProvider = (table: Table): Provider<unknown> => ({
  name: 'infobip',
  async send({ messageId }) {
    await table.write({ update: callsKey(messageId), add: { calls: 1 } });
    return { kind: 'accepted', providerMessageId: `p-${messageId}` };
  },
  queryStatus: async (messageId: Id<'message'>) =>
    (await callsOf(table, messageId)) > 0
      ? { kind: 'accepted', providerMessageId: `p-${messageId}` }
      : { kind: 'not_found' },
});
