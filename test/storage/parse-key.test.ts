import { describe, expect, it } from 'vitest';
import { dispatchId } from '../../shared/domain/channels/push/dispatch.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';

const id = {
  activity: newId('activity'),
  batch: newId('batch'),
  campaign: newId('campaign'),
  company: newId('company'),
  card: newId('card'),
  contact: newId('contact'),
  request: newId('request'),
  delivery: newId('delivery'),
  event: newId('event'),
  exportJob: newId('exportJob'),
  importJob: newId('importJob'),
  journey: newId('journey'),
  list: newId('list'),
  message: newId('message'),
  number: newId('number'),
  organization: newId('organization'),
  run: newId('run'),
  pipeline: newId('pipeline'),
  aiTurn: newId('aiTurn'),
  customerEvent: newId('customerEvent'),
  pushToken: newId('pushToken'),
  upload: newId('upload'),
  segment: newId('segment'),
  smppParts: newId('smppParts'),
  replyParts: newId('replyParts'),
  smppAccount: newId('smppAccount'),
  webhook: newId('webhook'),
} as const;

/** Of each kind of key: an example, and its parsed form. */
const CASES = {
  organization: [KEYS.organization(id.organization), id.organization],
  message: [KEYS.message(id.message), id.message],
  receipt: [KEYS.receipt(id.message, 'print#2'), { messageId: id.message, fingerprint: 'print#2' }],
  earlyReceipts: [KEYS.earlyReceipts('twilio', 'aGFzaA'), { provider: 'twilio', referenceHash: 'aGFzaA' }],
  journeyCounts: [KEYS.journeyCounts(newId('journey'), 3, 'passo#1', 2), 'passo#1'],
  runSignal: [KEYS.runSignal(id.run, id.message, 'lida'), { runId: id.run, messageId: id.message, happening: 'lida' }],
  batchChunk: [KEYS.batchChunk(id.batch, 12), { batchId: id.batch, chunk: 12 }],
  wallet: [KEYS.wallet(id.organization), id.organization],
  provider: [KEYS.provider('sms', 'twilio'), { channel: 'sms', name: 'twilio' }],
  inboundCount: [
    KEYS.inboundCount(id.organization, 'sms', 3),
    { organizationId: id.organization, channel: 'sms', shard: 3 },
  ],
  metrics: [
    KEYS.metrics(id.organization, '2026-11-26T12', 'sms', 2),
    { period: Date.parse('2026-11-26T12:00:00Z'), channel: 'sms', row: 2 },
  ],
  destinationCounts: [
    KEYS.destinationCounts(id.organization, '447911', 3),
    { organizationId: id.organization, prefix: '447911', shard: 3 },
  ],
  destinationHold: [KEYS.destinationHold(id.organization, '447911'), { prefix: '447911' }],
  linkRequest: [KEYS.linkRequest(id.request), id.request],
  smppParts: [KEYS.smppParts(id.smppParts), id.smppParts],
  replyParts: [KEYS.replyParts(id.replyParts), id.replyParts],
  smppWatch: [KEYS.smppWatch(id.smppAccount), id.smppAccount],
  activity: [KEYS.activity(id.activity), id.activity],
  cardUpload: [KEYS.cardUpload(id.upload), id.upload],
  journey: [KEYS.journeyEntries(id.journey), id.journey],
  run: [KEYS.run(id.run), id.run],
  taggedContact: [KEYS.taggedContact(id.contact, 12), { contactId: id.contact, version: 12 }],
  listJoin: [KEYS.listJoin(id.list, 'e1'), { listId: id.list, edit: 'e1' }],
  runHistory: [KEYS.runHistory(id.run, 32), { runId: id.run, part: 32 }],
  runAwait: [
    KEYS.runAwait(id.contact, 'compra', 'wait', id.run),
    { contactId: id.contact, role: 'wait', runId: id.run },
  ],
  tombstone: [KEYS.tombstone(id.organization, id.contact), { organizationId: id.organization, id: id.contact }],
  contact: [KEYS.contact(id.contact), id.contact],
  emailAddress: [
    KEYS.emailAddress(id.organization, 'hash_-1'),
    { organizationId: id.organization, emailHash: 'hash_-1' },
  ],
  aiTurn: [KEYS.aiTurn(id.aiTurn), id.aiTurn],
  customerEvent: [KEYS.customerEvent(id.customerEvent), id.customerEvent],
  consent: [KEYS.consent(id.contact, 12), 12],
  changedContact: [
    KEYS.changedContact(id.organization, id.contact),
    { organizationId: id.organization, contactId: id.contact },
  ],
  company: [KEYS.company(id.company), id.company],
  changedCompany: [
    KEYS.changedCompany(id.organization, id.company),
    { organizationId: id.organization, companyId: id.company },
  ],
  audienceMembers: [KEYS.audienceMembers(id.organization, 3), { organizationId: id.organization, block: 3 }],
  segmentSweep: [
    KEYS.segmentSweep(id.organization, id.segment),
    { organizationId: id.organization, segmentId: id.segment },
  ],
  card: [KEYS.card(id.card), id.card],
  pipeline: [KEYS.pipeline(id.pipeline), id.pipeline],
  campaign: [KEYS.campaign(id.campaign), id.campaign],
  campaignPortion: [KEYS.campaignPortion(id.campaign, 12), { campaignId: id.campaign, portion: 12 }],
  number: [KEYS.number(id.number), id.number],
  upload: [KEYS.upload(id.upload), id.upload],
  importJob: [KEYS.importJob(id.importJob), id.importJob],
  exportJob: [KEYS.exportJob(id.exportJob), id.exportJob],
  event: [KEYS.event(id.event), id.event],
  webhook: [KEYS.webhook(id.organization, id.webhook), { organizationId: id.organization, id: id.webhook }],
  delivery: [KEYS.delivery(id.delivery), id.delivery],
  lastInbound: [KEYS.lastInbound(id.organization, 'whatsapp', 'hash', id.number), { numberId: id.number }],
  pushToken: [KEYS.pushToken(id.organization, id.pushToken), id.pushToken],
  pushChunk: [KEYS.pushChunk(id.message, 3, 14), { messageId: id.message, shard: 3, chunk: 14 }],
} as const satisfies Record<keyof typeof PARSE_KEY, unknown>;
const kinds = Object.keys(CASES) as (keyof typeof CASES)[];

/** Rows with the same partition key: if only that is parsed, they are not distinguished. */
const SIBLINGS: Readonly<Partial<Record<keyof typeof CASES, readonly string[]>>> = {
  message: ['receipt'],
  contact: ['consent'],
  run: ['runHistory', 'runSignal'],
};

describe.each(kinds)('a key of %s', (kind) => {
  const [key, parts] = CASES[kind];
  it('is parsed into its parts', () => {
    expect(PARSE_KEY[kind](key)).toEqual(parts);
  });

  it.each(kinds.filter((other) => other !== kind && !SIBLINGS[kind]?.includes(other)))('is not one of %s', (other) => {
    expect(() => PARSE_KEY[kind](CASES[other][0])).toThrow(TypeError);
  });
});

it('the window of an organization without numbers has no number id', () => {
  expect(PARSE_KEY.lastInbound(KEYS.lastInbound(id.organization, 'sms', 'hash', ''))).toEqual({ numberId: '' });
});

it.each(['', '#', 'MSG#', 'MSG#msg_1', `MSG#${id.event}`, `MSG#${id.message}#`, id.message])(
  'a text that is no key of a message is refused: %j',
  (pk) => {
    expect(() => PARSE_KEY.message({ pk })).toThrow(TypeError);
  },
);

it.each(['', 'x', '1x', '-1'])('a chunk without a whole number is refused: %j', (chunk) => {
  expect(() => PARSE_KEY.batchChunk({ pk: `BATCH#${id.batch}#${chunk}`, sk: 'CHUNK' })).toThrow(TypeError);
});

it('the key of a dispatch is its id', () => {
  const dispatch = dispatchId({ messageId: id.message, attempt: 1, shard: 2, number: 3 }, 4);
  const { pk, sk } = KEYS.pushDispatch(dispatch);
  expect(`dsp_${pk.slice('PDSP#'.length)}${sk}`).toBe(dispatch);
});
