import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { SmsReplyPorts } from '../../shared/domain/inbound/callback-ports.ts';
import { handleSmsReply } from '../../shared/domain/inbound/provider-callback.ts';
import type { ReplyPartEvent } from '../../shared/domain/message/provider-port.ts';
import { type ReplyPartsPorts, takeReplyPart, workOnReplyParts } from '../../shared/domain/smpp/reply-parts.ts';
import { type DataCoding, encodeText } from '../../shared/smpp/data-coding.ts';
import { joinWhatCame } from '../../shared/smpp/parts.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { readSender } from '../../shared/storage/messages/inbound.ts';
import { readLastSent } from '../../shared/storage/messages/last-sent.ts';
import { listReplyPage } from '../../shared/storage/messages/message-lists.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { replyPartsStore } from '../../shared/storage/smpp/reply-parts.ts';
import { accepted } from '../support/accepted.ts';
import { checkMoney } from '../support/money.ts';
import { PLAIN, type World } from '../support/world.ts';

/** The provider of the world: what is put together does not know whose parts they are. */
const PROVIDER = 'infobip';

/** The ports of a process that has this table for its own. */
export const replyPartsPortsOf = (world: World, own: Table = world.table): ReplyPartsPorts => {
  const replies: SmsReplyPorts = {
    ...world.ports,
    messageStore: messageStore(own, () => {}, PLAIN),
    phoneOfUser: async () => undefined,
    sender: (organizationId, key) => readSender(own, organizationId, key),
    links: async () => [],
    lastSent: readLastSent(own),
    ownersOf: async () => [],
    optOut: async () => undefined,
    inbound: async () => 'kept',
    store: async (reply, event, inbound) => (await keepReply(own, reply, event, inbound)).kind,
  };
  return {
    clock: () => world.now,
    globalRecipientHash: world.ports.globalRecipientHash,
    parts: replyPartsStore(own),
    readText: (parts) =>
      joinWhatCame(
        parts.map((part) => part && { coding: part.coding as DataCoding, bytes: Buffer.from(part.bytes, 'base64') }),
      ),
    reply: (provider, event) => handleSmsReply(replies, { channel: 'sms', provider }, event),
  };
};

export interface ReplyPartFields extends Partial<Omit<ReplyPartEvent, 'bytes' | 'coding'>> {
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly coding?: DataCoding;
}

/** An organization with a message to a phone, and the replies from that phone. */
export const writtenTo = async (world: World) => {
  const actor = await world.organization();
  const { organizationId } = actor;
  const from = `+55119${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
  const { id } = accepted(await world.sms(actor, newId('request'), { to: from }));
  const ports = replyPartsPortsOf(world);
  const part = (number: number, fields: ReplyPartFields = {}): ReplyPartEvent => {
    const { text = `part ${number} `, coding = 8, bytes, ...rest } = fields;
    const encoded = bytes ?? encodeText(text, coding);
    if (!encoded) throw new Error('no text of that coding');
    const content = { coding, bytes: Buffer.from(encoded).toString('base64') };
    return { kind: 'reply_part', from, to: '28000', reference: '8-7', total: 2, number, ...content, ...rest };
  };
  const started = new Set<Id<'replyParts'>>();
  const take = (event: ReplyPartEvent, by: ReplyPartsPorts = ports) => {
    const add: typeof by.parts.add = (head, taken) => {
      started.add(head.id);
      return by.parts.add(head, taken);
    };
    return takeReplyPart({ ...by, parts: { ...by.parts, add } }, PROVIDER, event);
  };
  /** The rows of the messages that parts were taken of. */
  const rowsOf = () => Promise.all([...started].map((parts) => world.table.get(KEYS.replyParts(parts))));
  /** The texts of the replies, each of which was charged once. */
  const replies = async (): Promise<string[]> => {
    const { items } = await listReplyPage(world.table, organizationId, {}, { skip: 0, limit: 100 });
    const { entries } = await checkMoney(world.table, organizationId);
    const charged = entries.filter(({ kind }) => kind === 'adjustment');
    if (charged.length !== items.length) throw new Error(`${charged.length} charges of ${items.length} replies`);
    return items.map(({ body }) => body).sort();
  };
  return { organizationId, messageId: id, from, part, take, replies, rowsOf, ports };
};

export const dueReplyPartsOf = (world: World): Promise<readonly Id<'replyParts'>[]> =>
  overdue(world.table, 'reply_parts', world.now, 1_000).then((items) => items.map(PARSE_KEY.replyParts));

/** Works off the parts of replies that are due. */
export const workOffReplyParts = async (world: World, ports: ReplyPartsPorts): Promise<void> => {
  for (const id of await dueReplyPartsOf(world)) await workOnReplyParts(ports, id);
};
