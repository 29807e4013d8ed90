import { createHash } from 'node:crypto';
import type { Key } from './table.ts';

/**
 * THE key table: every row's keys and every index entry of the single table, one function and one sentence each.
 * `infra/` builds the table and its indexes from `TABLE` and `INDEXES`; docs/data-model.md is printed from `PATTERNS`.
 * Text that a caller chose never stands in a key raw where it could meet the separator: it is hashed.
 */
export const TABLE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

/** What the list of an organization's numbers, templates and flows is filtered by besides. */
const RESOURCE_ATTRIBUTES = ['qualityRating', 'category', 'language', 'platformStatus', 'platformCategories'] as const;

/** What the narrow list indexes carry besides keys: all that a filter reads, so that a filtered total reads no full row. */
const LIST_ATTRIBUTES = [
  'org',
  'channel',
  'status',
  'region',
  'via',
  'contactId',
  'campaignId',
  'toHash',
  'archivedAt',
  'numberId',
  'batchId',
  'sentByAccountId',
] as const;

export const INDEXES = {
  /** Lists of an organization, newest first. */
  gsi1: {
    partitionKey: 'gsi1pk',
    sortKey: 'gsi1sk',
    sortType: 'S',
    attributes: [...LIST_ATTRIBUTES, ...RESOURCE_ATTRIBUTES, 'origin'],
  },
  /** What belongs to one contact, or to one message. */
  gsi2: { partitionKey: 'gsi2pk', sortKey: 'gsi2sk', sortType: 'S', attributes: LIST_ATTRIBUTES },
  /** What carries one campaign tag. */
  gsi3: { partitionKey: 'gsi3pk', sortKey: 'gsi3sk', sortType: 'S', attributes: LIST_ATTRIBUTES },
  /** What went to one recipient. */
  gsi4: { partitionKey: 'gsi4pk', sortKey: 'gsi4sk', sortType: 'S', attributes: LIST_ATTRIBUTES },
  /** Sparse: only rows with work to do, by the moment it is due (ms). */
  due: { partitionKey: 'duePk', sortKey: 'dueAt', sortType: 'N', attributes: [] },
} as const;

/** Partitions of each kind of due work: enough for 4,000 rows a second of a kind. */
export const DUE_SHARDS = 4;
/** Counter rows that captures of one wallet spread over, so that settling never contends with reserving. */
export const CAPTURE_SHARDS = 8;

/** Counter rows that the inbound messages of one channel spread over, so that those that come at once seldom meet. */
export const INBOUND_SHARDS = 4;

/** Shards of an organization's push devices: read at the same time when a push message is made. */
export const PUSH_SHARDS = 16;

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
/** A stable shard of an id. */
export const shardOf = (id: string, shards: number): number =>
  createHash('sha256').update(id).digest().readUInt16BE(0) % shards;

/** Newest-first sort key: ISO time, then the id, so that equal times still have one order. */
export const newestKey = (createdAt: string, id: string): string => `${createdAt}#${id}`;

/** A number as text that sorts as numbers do. */
const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

const key = (pk: string, sk: string): Key => ({ pk, sk });

export const KEYS = {
  /** An organization's settings. */
  organization: (id: string) => key(`ORG#${id}`, 'ORG'),
  /** A person of an organization. */
  account: (id: string) => key(`ACC#${id}`, 'ACC'),
  /** An API key's record, found by its id. */
  apiKey: (id: string) => key(`KEY#${id}`, 'KEY'),
  /** A credential, found by the SHA-256 (hex) of the secret that the caller presents. */
  credential: (sha256: string) => key(`CRED#${sha256}`, 'CRED'),
  /** A message of any channel, found by its id. */
  message: (id: string) => key(`MSG#${id}`, 'MSG'),
  /** A bulk send, as its answer told it. */
  batch: (id: string) => key(`BATCH#${id}`, 'BATCH'),
  /** Some of a batch's messages that are in no chunk of it: an earlier call made them, or they were sent anew. */
  batchOthers: (id: string, part: number) => key(`BATCH#${id}`, `OTHERS#${padded(part, 4)}`),
  /** A chunk of a batch: its messages, and what one ledger line holds for them. */
  batchChunk: (batchId: string, chunk: number) => key(`BATCH#${batchId}#${chunk}`, 'CHUNK'),
  /** A lane of a chunk's escrow: what its messages captured, what they give back, and where they stand. */
  escrowLane: (batchId: string, chunk: number, lane: number) => key(`BATCH#${batchId}#${chunk}`, `LANE#${lane}`),
  /** What leaves of a queued message besides what is kept of it; sealed, and gone once its hold is resolved. */
  messageBody: (id: string) => key(`MSG#${id}`, 'BODY'),
  /** The chain of fallbacks that begins with a message. */
  chain: (firstMessageId: string) => key(`MSG#${firstMessageId}`, 'CHAIN'),
  /** A receipt of a message that waits to be applied; the same receipt twice is one row. */
  receipt: (messageId: string, fingerprint: string) => key(`MSG#${messageId}`, `RCPT#${fingerprint}`),
  /** What its recipient did with a message: first open, first click, and how many of each. Written only once there is something. */
  engagement: (messageId: string) => key(`MSG#${messageId}`, 'ENGAGED'),
  /** The promise that a caller's key sends once. */
  idempotency: (organizationId: string, callerKey: string) =>
    key(`IDEM#${organizationId}#${digest(callerKey)}`, 'IDEM'),
  /** The wallet: what can be spent. Sorts after its counters and its ledger, so that one query newest first reads all three. */
  wallet: (organizationId: string) => key(`WALLET#${organizationId}`, 'W'),
  /** A share of what was captured from a wallet. */
  captured: (organizationId: string, shard: number) => key(`WALLET#${organizationId}`, `S#${shard}`),
  /** A share of how many messages of a channel ever came in: an organization's lie together, so that one query reads them all. */
  inboundCount: (organizationId: string, channel: string, shard: number) =>
    key(`INS#${organizationId}`, `${channel}#${shard}`),
  /** A line of the ledger; `order` sorts as time does. */
  entry: (organizationId: string, order: string) => key(`WALLET#${organizationId}`, `E#${order}`),
  /** Live segments of a month (YYYYMM in São Paulo): the position in the volume bands. */
  volume: (organizationId: string, channel: string, month: string) =>
    key(`VOLUME#${organizationId}`, `${channel}#${month}`),
  /** A version of the price table, by the moment from which it is in force. */
  prices: (effectiveFrom: string) => key('PRICES', effectiveFrom),
  /** Settings of one provider for the stage; sealed. */
  provider: (channel: string, name: string) => key('SETTINGS', `PROVIDER#${channel}#${name}`),
  /** The stage's root key, wrapped by KMS. */
  rootKey: () => key('SETTINGS', 'ROOT_KEY'),
  /** Whether a provider's route is tripped, and until when. */
  breaker: (channel: string, provider: string, route: string) =>
    key(`BREAKER#${channel}#${provider}#${route}`, 'BREAKER'),
  /** A token bucket of a credential. */
  bucket: (credentialId: string, bucket: string) => key(`RATE#${credentialId}#${bucket}`, 'RATE'),
  /** Sends of one second, for a ceiling contracted per second. */
  second: (organizationId: string, channel: string, second: number) =>
    key(`RATE#${organizationId}#${channel}`, `S#${second}`),
  /** A contact. */
  contact: (id: string) => key(`CNT#${id}`, 'CNT'),
  /** A phone of an organization (blind index): makes it unique, and carries its opt-out for sends that name no contact. */
  phone: (organizationId: string, phoneHash: string) => key(`PHONE#${organizationId}#${phoneHash}`, 'PHONE'),
  /** An e-mail address of an organization (blind index): how many contacts with it opted out, whether it unsubscribed itself, and until when its provider holds it back. */
  emailAddress: (organizationId: string, emailHash: string) => key(`EMAIL#${organizationId}#${emailHash}`, 'EMAIL'),
  /** A user of a channel's platform that wrote to an organization (blind index): carries its opt-out, as a phone does. */
  platformUser: (organizationId: string, userHash: string) => key(`PUSER#${organizationId}#${userHash}`, 'PUSER'),
  /** An e-mail template without its contents: what lists read. */
  emailTemplate: (id: string) => key(`ETPL#${id}`, 'ETPL'),
  /** The contents of an e-mail template; compressed. */
  emailTemplateContent: (id: string) => key(`ETPL#${id}`, 'CONTENT'),
  /** The name of an e-mail template: makes it unique, and finds it. */
  emailTemplateName: (organizationId: string, name: string) =>
    key(`ETPLNAME#${organizationId}#${digest(name)}`, 'ETPLNAME'),
  /** A WhatsApp number without its access token. */
  number: (id: string) => key(`NUM#${id}`, 'NUM'),
  /** The access token that a number is reached with; sealed. */
  numberToken: (id: string) => key(`NUM#${id}`, 'TOKEN'),
  /** What the platform calls a number: it belongs to one organization of the stage. */
  phoneNumberId: (phoneNumberId: string) => key(`PHONEID#${digest(phoneNumberId)}`, 'PHONEID'),
  /** How much a number may still send: one row for each rate that it was ever given. */
  numberRate: (id: string, perSecond: number, perDay: number) => key(`RATE#${id}#${perSecond}#${perDay}`, 'RATE'),
  /** A WhatsApp template. */
  template: (id: string) => key(`TPL#${id}`, 'TPL'),
  /** A template's name, once per language and business account: makes it unique, and finds a name in all of its languages. */
  templateName: (organizationId: string, name: string, language: string, wabaId: string) =>
    key(`TPLNAME#${organizationId}#${digest(name)}`, `${language}#${digest(wabaId)}`),
  /** A WhatsApp flow. */
  flow: (id: string) => key(`FLW#${id}`, 'FLW'),
  /** What the platform calls a flow of a business account: finds the one that its reports name. */
  flowOnPlatform: (organizationId: string, wabaId: string, platformFlowId: string) =>
    key(`FLWPID#${organizationId}#${digest(platformFlowId)}`, digest(wabaId)),
  /** A caller's own customer id: makes it unique. */
  externalId: (organizationId: string, externalId: string) => key(`EXT#${organizationId}#${digest(externalId)}`, 'EXT'),
  /** A file that the channel platform keeps for messages, found by the platform's id of it. */
  media: (organizationId: string, mediaId: string) => key(`MEDIA#${organizationId}#${digest(mediaId)}`, 'MEDIA'),
  /** A file on its way past the service, until it is completed or thrown away. */
  upload: (id: string) => key(`UPL#${id}`, 'UPL'),
  /** A short link. */
  link: (code: string) => key(`LINK#${code}`, 'LINK'),
  /** An event on its way to the webhooks. */
  event: (id: string) => key(`EVT#${id}`, 'EVT'),
  /** A subscription: all of an organization's lie together, so that fanning an event out reads them in one query. */
  webhook: (organizationId: string, id: string) => key(`WBHS#${organizationId}`, `WBH#${id}`),
  /** An event on its way to one subscription; its id is made of both, so that fanning out twice is one row. */
  delivery: (id: string) => key(`DLV#${id}`, 'DLV'),
  /** One attempt of a delivery, by its number. */
  attempt: (deliveryId: string, number: number) => key(`DLV#${deliveryId}`, `ATT#${padded(number, 6)}`),
  /** When a recipient (blind index) last wrote on a channel, to one of the organization's numbers where it has any: opens that number's window. */
  lastInbound: (organizationId: string, channel: string, hash: string, numberId: string) =>
    key(`INBOUND#${organizationId}#${channel}#${hash}`, `LAST#${numberId}`),
  /** An inbound reply, by its id. */
  reply: (id: string) => key(`RPL#${id}`, 'RPL'),
  /** An app of an organization, with its push credentials sealed: all of an organization's lie together. */
  pushApp: (organizationId: string, id: string) => key(`PAPPS#${organizationId}`, `PAPP#${id}`),
  /** A push device; an organization's lie in shards by their ids, so that an audience is read in parallel and in one order. */
  pushToken: (organizationId: string, id: string) =>
    key(`PTOKS#${organizationId}#${shardOf(id, PUSH_SHARDS)}`, `PTOK#${id}`),
  /** A push message: what it says, to whom, and once all is done what came of it. */
  pushMessage: (id: string) => key(`PSH#${id}`, 'PSH'),
  /** A chunk of a push message's devices, in the order of their shard: where its devices stand, and how far its sending is. */
  pushChunk: (messageId: string, shard: number, chunk: number) =>
    key(`PSH#${messageId}`, `CHUNK#${padded(shard, 2)}#${padded(chunk, 4)}`),
  /** How many devices of a shard opened a push message. */
  pushOpens: (messageId: string, shard: number) => key(`PSH#${messageId}`, `OPENS#${padded(shard, 2)}`),
  /** One device of a push message, by its dispatch id: a chunk's lie together, and each chunk apart, for no partition takes them all. */
  pushDispatch: (dispatchId: string) => key(`PDSP#${dispatchId.slice(4, 23)}`, `${dispatchId.slice(23)}`),
  /** What a provider calls a message, or a recipient that a provider will quote in a reply. */
  correlation: (provider: string, reference: string) => key(`CORR#${provider}#${digest(reference)}`, 'CORR'),
} as const;

/** Index entries: spread into the row that they find. */
export const FINDS = {
  /** An organization's API keys. */
  keysOf: (organizationId: string, createdAt: string, id: string) => ({
    gsi1pk: `KEYS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's accounts. */
  accountsOf: (organizationId: string, createdAt: string, id: string) => ({
    gsi1pk: `ACCS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** All organizations of the stage, for the operator. */
  organizations: (createdAt: string, id: string) => ({ gsi1pk: 'ORGS', gsi1sk: newestKey(createdAt, id) }),
  /** An organization's contacts. */
  contactsOf: (organizationId: string, createdAt: string, id: string) => ({
    gsi1pk: `CNTS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** The contacts of an organization that have an e-mail address (blind index). */
  contactsOfEmail: (organizationId: string, emailHash: string, createdAt: string, id: string) => ({
    gsi4pk: `CNTS#email#${organizationId}#${emailHash}`,
    gsi4sk: newestKey(createdAt, id),
  }),
  /** An organization's e-mail templates. */
  emailTemplatesOf: (organizationId: string, createdAt: string, id: string) => ({
    gsi1pk: `ETPLS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's WhatsApp numbers. */
  numbersOf: (organizationId: string, createdAt: string, id: string) => ({
    gsi1pk: `NUMS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** The numbers of a business account of the platform, whoever's they are: what it says of the account concerns them. */
  numbersOfAccount: (wabaId: string, createdAt: string, id: string) => ({
    gsi2pk: `NUMS#${digest(wabaId)}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** An organization's WhatsApp templates. */
  templatesOf: (organizationId: string, createdAt: string, id: string) => ({
    gsi1pk: `TPLS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's WhatsApp flows. */
  flowsOf: (organizationId: string, createdAt: string, id: string) => ({
    gsi1pk: `FLWS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's messages of a channel. */
  messagesOf: (organizationId: string, channel: string, createdAt: string, id: string) => ({
    gsi1pk: `MSGS#${channel}#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** A contact's messages of a channel. */
  messagesOfContact: (contactId: string, channel: string, createdAt: string, id: string) => ({
    gsi2pk: `MSGS#${channel}#${contactId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** What came in to an organization by a channel; apart from what it sent, so that a channel's own list holds sends alone. */
  inboundOf: (organizationId: string, channel: string, createdAt: string, id: string) => ({
    gsi1pk: `INS#${channel}#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** The recipients (blind index) that opted out by themselves while they were known as a contact: its opt-in takes that back. */
  optOutsOf: (contactId: string, at: string, recipientHash: string) => ({
    gsi2pk: `OUTS#${contactId}`,
    gsi2sk: newestKey(at, recipientHash),
  }),
  /** What a contact wrote on a channel. */
  inboundOfContact: (contactId: string, channel: string, createdAt: string, id: string) => ({
    gsi2pk: `INS#${channel}#${contactId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** What a sender (blind index) wrote to an organization on a channel. */
  inboundFrom: (organizationId: string, fromHash: string, channel: string, createdAt: string, id: string) => ({
    gsi4pk: `INS#${channel}#${organizationId}#${fromHash}`,
    gsi4sk: newestKey(createdAt, id),
  }),
  /** A campaign tag's messages of a channel. */
  messagesOfCampaign: (organizationId: string, campaignId: string, channel: string, createdAt: string, id: string) => ({
    gsi3pk: `MSGS#${channel}#${organizationId}#${digest(campaignId)}`,
    gsi3sk: newestKey(createdAt, id),
  }),
  /** A recipient's messages of a channel (blind index). */
  messagesTo: (organizationId: string, toHash: string, channel: string, createdAt: string, id: string) => ({
    gsi4pk: `MSGS#${channel}#${organizationId}#${toHash}`,
    gsi4sk: newestKey(createdAt, id),
  }),
  /** An organization's replies of a channel. */
  repliesOf: (organizationId: string, channel: string, createdAt: string, id: string) => ({
    gsi1pk: `RPLS#${channel}#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** The replies to one message. */
  repliesTo: (messageId: string, createdAt: string, id: string) => ({
    gsi2pk: `RPLS#${messageId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** An organization's push messages. */
  pushMessagesOf: (organizationId: string, createdAt: string, id: string) => ({
    gsi1pk: `PSHS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** A subscription's events by their sequence: the pull feed. */
  eventsOf: (webhookId: string, sequence: number) => ({
    gsi1pk: `DLVS#${webhookId}`,
    gsi1sk: `${padded(sequence, 12)}`,
  }),
  /** A subscription's deliveries, test events included. */
  deliveriesOf: (webhookId: string, createdAt: string, id: string) => ({
    gsi2pk: `DLVS#${webhookId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** What waits for a subscription's endpoint, by the moment since when it may be tried (ms). */
  backlogOf: (webhookId: string, since: number) => ({ duePk: `BACKLOG#${webhookId}`, dueAt: since }),
  /** Work of a kind that is due at a moment (ms). */
  due: (kind: string, id: string, at: number) => ({ duePk: `DUE#${kind}#${shardOf(id, DUE_SHARDS)}`, dueAt: at }),
} as const;

/** The partition of a shard of an organization's push devices. */
export const pushTokenPartition = (organizationId: string, shard: number): string => `PTOKS#${organizationId}#${shard}`;

/** The partitions of one kind of due work. */
export const duePartitions = (kind: string): readonly string[] =>
  Array.from({ length: DUE_SHARDS }, (_, shard) => `DUE#${kind}#${shard}`);
