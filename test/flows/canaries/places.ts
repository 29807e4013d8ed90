import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Row } from '../../../shared/storage/client/row.ts';
import type { CanaryName, Finder } from './values.ts';

/** A place where personal data may be, why, and which; in rows by attribute, in bodies by field. */
interface Place {
  readonly why: string;
  readonly holds: Readonly<Record<string, readonly CanaryName[]>>;
}

/** Rows of the table, by the kinds of their keys. Rows that are not listed may hold no personal data in clear. */
export const ROWS: Readonly<Record<string, Place>> = {
  'MSG/MSG': {
    why: 'the record of a message: its content, and its provider’s last receipt',
    holds: {
      to: ['delivered', 'undelivered', 'noCredit', 'live', 'phone', 'email', 'externalId'],
      from: ['live'],
      content: ['text', 'url', 'name', 'subject'],
      templateVars: ['name', 'text'],
      payload: ['reply'],
      providerReceipt: ['delivered', 'undelivered', 'live', 'phone'],
    },
  },
  'MSG/RCPT': { why: 'a pending receipt, deleted when it is applied', holds: { event: ['live'] } },
  'RPL/RPL': { why: 'the record of a reply', holds: { from: ['live'], body: ['reply'] } },
  'CNT/CNT': {
    why: 'the record of a contact',
    holds: {
      phone: ['phone', 'otherPhone'],
      name: ['name'],
      email: ['email'],
      optIn: ['ip', 'userAgent', 'reason'],
      attributes: ['attribute'],
      tags: ['tag'],
      externalId: ['externalId'],
      externalIds: ['crmId'],
      debtorGroups: ['debtPhone', 'externalId'],
      mergedContacts: ['otherPhone'],
    },
  },
  'CNT/CONSENT': { why: 'the proof of a consent', holds: { ip: ['ip'], userAgent: ['userAgent'], reason: ['reason'] } },
  'LINK/LINK': { why: 'the record of a short link', holds: { url: ['url'] } },
  'AIT/AIT': { why: 'the record of a turn of an assistant', holds: { text: ['turn'] } },
  'ACC/ACC': { why: 'the record of an account', holds: { name: ['accountName'], email: ['accountEmail'] } },
  'CEV/CEV': {
    why: 'the caller’s own id of who bought: events of people who are no contact have nothing else',
    holds: { contactExternalId: ['externalId'] },
  },
  'PTOKS/PTOK': {
    why: 'the record of a device: pushes are addressed to its token; name, address and phone of its person and its own name are sealed',
    holds: { token: ['pushToken'], externalId: ['externalId'] },
  },
  'SEGS/SEG': { why: 'a filter that the caller wrote', holds: { packed: ['attribute', 'tag'] } },
  'AUD/attributes0': { why: 'the index of attributes', holds: { data: ['attribute'] } },
  'EVT/EVT': {
    why: 'an event on its way, which says what its webhook does; its recipient is masked',
    holds: { data: ['reply', 'url', 'turn', 'reason', 'externalId'] },
  },
};

/** Rows that name a person who was erased. */
export const AFTER_ERASURE: Readonly<Record<string, Place>> = {
  'ACC/ACC': ROWS['ACC/ACC'] as Place,
  'SEGS/SEG': ROWS['SEGS/SEG'] as Place,
};

/** Addresses: in bodies for those who may see them, and in no others. */
const TO: readonly CanaryName[] = ['phone', 'otherPhone', 'delivered', 'undelivered', 'email', 'live'];
/** Bodies of webhooks, by the event's type. An address is masked where the subscription's creator lacks pii:full. */
export const BODIES: Readonly<Record<string, Place>> = {
  'contact.created': {
    why: 'the caller’s own id finds the contact in its system',
    holds: { externalId: ['externalId'], phone: TO },
  },
  'contact.opted_out': {
    why: 'and the reason as it was given',
    holds: { externalId: ['externalId'], reason: ['reason'], phone: TO },
  },
  'ai.interaction': { why: 'a turn is raised with what was said', holds: { text: ['turn'], phone: TO } },
  'message.queued': {
    why: 'whom the message is for; a push may be for an id of the caller’s own',
    holds: { to: [...TO, 'externalId'] },
  },
  'message.sent': { why: 'the same', holds: { to: [...TO, 'externalId'] } },
  ...Object.fromEntries(
    [
      'message.delivered',
      'message.read',
      'message.failed',
      'sms.delivered',
      'sms.undelivered',
      'sms.failed',
      'rcs.delivered',
      'rcs.failed',
      'email.delivered',
    ].map((type) => [type, { why: 'whom the message was for', holds: { to: TO } }]),
  ),
  'sms.received': { why: 'what a person wrote, and who', holds: { from: TO, body: ['reply'] } },
  'message.received': { why: 'what a person wrote, and who', holds: { from: TO, payload: ['reply'] } },
};

/** The texts that bytes may be: as they are, and unpacked. */
const textsOf = (bytes: Uint8Array): string[] => {
  const unpacked = [inflateRawSync, inflateSync, gunzipSync].flatMap((unpack) => {
    try {
      return [unpack(bytes).toString('utf8')];
    } catch {
      return [];
    }
  });
  return [Buffer.from(bytes).toString('utf8'), ...unpacked];
};
const textOf = (value: unknown): string => {
  const texts: string[] = [];
  const json = JSON.stringify(value, (_, part: unknown) => {
    if (!(part instanceof Uint8Array)) return part;
    texts.push(...textsOf(part));
    return '';
  });
  return [json ?? '', ...texts].join('\n');
};

const strayOf = (kind: string, fields: object, place: Place | undefined, find: Finder): string[] =>
  Object.entries(fields).flatMap(([field, value]) => {
    const allowed: readonly string[] = place?.holds[field] ?? [];
    return find(textOf(value))
      .filter((name) => !allowed.includes(name))
      .map((name) => `${kind} ${field}: ${name}`);
  });

/** Canaries in a row where they may not be, as `KIND attribute: canary`. */
export const strayInRow = (row: Row, find: Finder, places = ROWS): string[] => {
  const kind = [row.pk, row.sk].map((key) => String(key).split('#')[0]).join('/');
  return strayOf(kind, row, places[kind], find);
};

/** Canaries in a webhook's body where they may not be, as `type field: canary`. `unmasked`: for who may see addresses. */
export const strayInBody = (body: string, find: Finder, unmasked: boolean): string[] => {
  const { type, data, ...envelope } = JSON.parse(body);
  const stray = strayOf(type, data, BODIES[type], find);
  const addresses = unmasked ? [] : find(body).filter((name) => (TO as readonly string[]).includes(name));
  return [
    ...stray,
    ...addresses.map((name) => `${type} masked: ${name}`),
    ...strayOf(`${type} envelope`, envelope, undefined, find),
  ];
};
