import { asId, parseId } from '../domain/core/ids.ts';
import type { Key } from './client/row.ts';

/** The text after a prefix in a part of a key. Throws a TypeError for a key of another kind of row. */
const after = (prefix: string, part: string): string => {
  if (part.startsWith(prefix)) return part.slice(prefix.length);
  throw new TypeError(`not a key with the prefix ${prefix}`);
};

/** A whole number in a key, padded or not. Throws a TypeError when there is none. */
const whole = (text: string | undefined): number => {
  if (text && /^\d+$/.test(text)) return Number(text);
  throw new TypeError('not a number in a key');
};

type PartitionKey = Pick<Key, 'pk'>;
type SortKey = Pick<Key, 'sk'>;

/** Whether a row is a tombstone; its kind of due work has other rows, too. */
export const isTombstone = ({ pk }: PartitionKey): boolean => pk.startsWith('GONE#');

/** Whether a row is an e-mail address's; its kind of due work has other rows, too. */
export const isEmailAddress = ({ pk }: PartitionKey): boolean => pk.startsWith('EMAIL#');

/** Whether a row has receipts that wait for their message; their kind of due work has those of known messages, too. */
export const isEarlyReceipts = ({ sk }: SortKey): boolean => sk === 'EARLY';

/** Whether a row is an upload of a card's file; its kind of due work has other rows, too. */
export const isCardUpload = ({ pk }: PartitionKey): boolean => pk.startsWith('CRDUPL#');

/** Whether a row is a segment's sweep; its kind of due work has other rows, too. */
export const isSegmentSweep = ({ sk }: SortKey): boolean => sk.startsWith('SWEEP#');

/** Whether a row is a card's; its kind of due work includes pipelines. */
export const isCard = ({ sk }: SortKey): boolean => sk === 'CRD';

/** Whether a row is a portion of a campaign; its kind of due work includes campaigns. */
export const isCampaignPortion = ({ sk }: SortKey): boolean => sk === 'PORTION';

/** Whether a row is an entry job of a list or segment; its kind of due work includes sweeps of runs. */
export const isJourneyEntries = ({ sk }: SortKey): boolean => sk === 'ENTER';

/** Whether a row signals a message's outcome to a run; its kind of due work includes events and inbound messages. */
export const isRunSignal = ({ sk }: SortKey): boolean => sk.startsWith('SIG#');

/** Whether a row is a customer event's; its kind of due work includes inbound messages. */
export const isCustomerEvent = ({ sk }: SortKey): boolean => sk === 'CEV';

/** Whether a row notifies journeys of tags; its kind of due work has other rows, too. */
export const isTaggedContact = ({ pk }: PartitionKey): boolean => pk.startsWith('JTAG#');

/** Whether a row is a join of contacts to a list; its kind of due work includes journeys. */
export const isListJoin = ({ pk }: PartitionKey): boolean => pk.startsWith('LSTJOIN#');

/** The ids and numbers in a row's key, as its function in KEYS put them there. Each throws a TypeError for a key of another kind of row. */
export const PARSE_KEY = {
  organization: ({ pk }: PartitionKey) => parseId('organization', after('ORG#', pk)),
  /** Works for every row of a message. */
  message: ({ pk }: PartitionKey) => parseId('message', after('MSG#', pk)),
  receipt: ({ pk, sk }: Key) => ({ messageId: PARSE_KEY.message({ pk }), fingerprint: after('RCPT#', sk) }),
  earlyReceipts: ({ pk }: PartitionKey) => {
    const [provider = '', referenceHash = ''] = after('EARLY#', pk).split('#');
    return { provider, referenceHash };
  },
  batchChunk: ({ pk, sk }: Key) => {
    after('CHUNK', sk);
    const [batchId, chunk] = after('BATCH#', pk).split('#');
    return { batchId: parseId('batch', batchId), chunk: whole(chunk) };
  },
  /** Of the wallet's own row. */
  wallet: ({ pk }: PartitionKey) => parseId('organization', after('WALLET#', pk)),
  provider: ({ sk }: SortKey) => {
    const [channel = '', name = ''] = after('PROVIDER#', sk).split('#');
    return { channel, name };
  },
  inboundCount: ({ pk, sk }: Key) => {
    const [channel = '', shard] = sk.split('#');
    return { organizationId: parseId('organization', after('INS#', pk)), channel, shard: whole(shard) };
  },
  /** `period`: its start, in ms. */
  metrics: ({ pk, sk }: Key) => {
    after('METRICS#', pk);
    const [period = '', channel = '', row] = sk.split('#');
    return { period: Date.parse(`${period}:00:00Z`), channel, row: whole(row) };
  },
  destinationCounts: ({ pk, sk }: Key) => {
    const [organizationId, prefix = ''] = after('DEST#', pk).split('#');
    return { organizationId: parseId('organization', organizationId), prefix, shard: whole(after('S#', sk)) };
  },
  destinationHold: ({ sk }: SortKey) => ({ prefix: after('P#', sk) }),
  smppParts: ({ pk }: PartitionKey) => parseId('smppParts', after('SMPPPARTS#', pk)),
  smppWatch: ({ pk }: PartitionKey) => parseId('smppAccount', after('SMPPW#', pk)),
  replyParts: ({ pk }: PartitionKey) => parseId('replyParts', after('RPLPARTS#', pk)),
  linkRequest: ({ pk }: PartitionKey) => parseId('request', after('LINKREQ#', pk)),
  activity: ({ pk }: PartitionKey) => parseId('activity', after('ATV#', pk)),
  /** Works for every row of a version of a journey. */
  journey: ({ pk }: PartitionKey) => parseId('journey', after('JOR#', pk)),
  cardUpload: ({ pk }: PartitionKey) => parseId('upload', after('CRDUPL#', pk)),
  tombstone: ({ pk, sk }: Key) => {
    const id = asId('card', sk) ?? asId('company', sk) ?? parseId('contact', sk);
    return { organizationId: parseId('organization', after('GONE#', pk)), id };
  },
  contact: ({ pk }: PartitionKey) => parseId('contact', after('CNT#', pk)),
  emailAddress: ({ pk }: PartitionKey) => {
    const [organizationId, emailHash = ''] = after('EMAIL#', pk).split('#');
    return { organizationId: parseId('organization', organizationId), emailHash };
  },
  aiTurn: ({ pk }: PartitionKey) => parseId('aiTurn', after('AIT#', pk)),
  customerEvent: ({ pk }: PartitionKey) => parseId('customerEvent', after('CEV#', pk)),
  /** Works for every row of a run. */
  run: ({ pk }: PartitionKey) => parseId('run', after('RUN#', pk)),
  runSignal: ({ pk, sk }: Key) => {
    const [messageId, happening = ''] = after('SIG#', sk).split('#');
    return { runId: PARSE_KEY.run({ pk }), messageId: parseId('message', messageId), happening };
  },
  /** The key of the step that a row counts. */
  journeyCounts: ({ pk, sk }: Key) => {
    after('JCNT#', pk);
    return sk.slice(0, sk.lastIndexOf('#'));
  },
  runHistory: ({ pk, sk }: Key) => ({
    runId: parseId('run', after('RUN#', pk)),
    part: whole(after('HIST#', sk)),
  }),
  runAwait: ({ pk, sk }: Key) => {
    const [, role = '', runId] = sk.split('#');
    return { contactId: parseId('contact', after('JAWAIT#', pk)), role, runId: parseId('run', runId) };
  },
  taggedContact: ({ pk, sk }: Key) => ({
    contactId: parseId('contact', after('JTAG#', pk)),
    version: whole(after('V#', sk)),
  }),
  listJoin: ({ pk, sk }: Key) => {
    after('JOIN', sk);
    const [listId, edit = ''] = after('LSTJOIN#', pk).split('#');
    return { listId: parseId('list', listId), edit };
  },
  /** The version of a contact that changed its consent; undefined where the change is a merged contact's. */
  consent: ({ sk }: SortKey) => {
    const version = after('CONSENT#', sk);
    return version.includes('#') ? undefined : whole(version);
  },
  changedContact: ({ pk, sk }: Key) => ({
    organizationId: parseId('organization', after('CNTCH#', pk).split('#')[0]),
    contactId: parseId('contact', sk),
  }),
  company: ({ pk }: PartitionKey) => parseId('company', after('EMP#', pk)),
  changedCompany: ({ pk, sk }: Key) => ({
    organizationId: parseId('organization', after('EMPCH#', pk)),
    companyId: parseId('company', sk),
  }),
  audienceMembers: ({ pk, sk }: Key) => {
    after('MEMBERS', sk);
    const [organizationId, block] = after('AUD#', pk).split('#');
    return { organizationId: parseId('organization', organizationId), block: whole(block) };
  },
  segmentSweep: ({ pk, sk }: Key) => ({
    organizationId: parseId('organization', after('SEGS#', pk)),
    segmentId: parseId('segment', after('SWEEP#', sk)),
  }),
  card: ({ pk }: PartitionKey) => parseId('card', after('CRD#', pk)),
  pipeline: ({ pk }: PartitionKey) => parseId('pipeline', after('PIP#', pk)),
  campaign: ({ pk }: PartitionKey) => parseId('campaign', after('CMP#', pk)),
  campaignPortion: ({ pk, sk }: Key) => {
    after('PORTION', sk);
    const [campaignId, portion] = after('CMPP#', pk).split('#');
    return { campaignId: parseId('campaign', campaignId), portion: whole(portion) };
  },
  number: ({ pk }: PartitionKey) => parseId('number', after('NUM#', pk)),
  upload: ({ pk }: PartitionKey) => parseId('upload', after('UPL#', pk)),
  importJob: ({ pk }: PartitionKey) => parseId('importJob', after('IMP#', pk)),
  exportJob: ({ pk }: PartitionKey) => parseId('exportJob', after('EXP#', pk)),
  event: ({ pk }: PartitionKey) => parseId('event', after('EVT#', pk)),
  webhook: ({ pk, sk }: Key) => ({
    organizationId: parseId('organization', after('WBHS#', pk)),
    id: parseId('webhook', after('WBH#', sk)),
  }),
  delivery: ({ pk }: PartitionKey) => parseId('delivery', after('DLV#', pk)),
  lastInbound: ({ sk }: SortKey) => {
    const numberId = after('LAST#', sk);
    return { numberId: numberId === '' ? ('' as const) : parseId('number', numberId) };
  },
  pushToken: ({ sk }: SortKey) => parseId('pushToken', after('PTOK#', sk)),
  pushChunk: ({ pk, sk }: Key) => {
    const [shard, chunk] = after('CHUNK#', sk).split('#');
    return { messageId: parseId('message', after('PSH#', pk)), shard: whole(shard), chunk: whole(chunk) };
  },
} as const;

/** The job of a key: an import or an export. */
export const parseJobKey = (key: Key) =>
  key.sk === 'IMP' ? { importJob: PARSE_KEY.importJob(key) } : { exportJob: PARSE_KEY.exportJob(key) };
