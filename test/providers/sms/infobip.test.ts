import { describe, expect, it } from 'vitest';
import exampleReport from '../../../events/providers/infobip.delivery-report.json' with { type: 'json' };
import exampleInbound from '../../../events/providers/infobip.inbound-message.json' with { type: 'json' };
import { newId } from '../../../shared/domain/core/ids.ts';
import { infobipSignature } from '../../../shared/providers/infobip-callbacks.ts';
import { infobipSettings } from '../../../shared/providers/sms/infobip.ts';
import { startInfobipStandIn } from '../../support/providers/infobip-stand-in.ts';
import { answeredBy } from '../../support/providers/io.ts';
import { accepted as acceptedBy, NOW, open } from '../../support/providers/kit.ts';
import { smsDispatch as dispatch } from '../../support/providers/sms-kit.ts';
import { use } from '../../support/use.ts';
import { describeInfobipReferences, events, receiptsOf } from '../shared.ts';

const standIn = await use(startInfobipStandIn(() => NOW));
const provider = (over: object = {}, io = {}) =>
  open('sms', 'infobip', { ...standIn.settings, timeoutMs: 10_000, ...over }, io);
const accepted = () => acceptedBy(standIn, provider(), dispatch());

describeInfobipReferences({ standIn, provider, dispatch });

describe('a status query by our reference', () => {
  it('stays undecided if the logs do not go back far enough, or that is unknown', async () => {
    const query = (sentAt?: number) => provider().queryStatus?.(newId('message'), sentAt);
    expect(await query(NOW - 49 * 3_600_000)).toMatchObject({ kind: 'undecided' });
    expect(await query()).toMatchObject({ kind: 'undecided' });
  });

  it('finds a rejected message absent, since nothing was sent', async () => {
    const messageId = newId('message');
    standIn.log(messageId, { groupId: 5, id: 6, name: 'REJECTED_NETWORK' });
    expect(await provider().queryStatus?.(messageId, NOW)).toEqual({ kind: 'not_found' });
  });

  it('finds an undelivered or expired message accepted', async () => {
    for (const groupId of [1, 2, 3, 4]) {
      const messageId = newId('message');
      standIn.log(messageId, { groupId, id: 9, name: 'ANY' });
      expect(await provider().queryStatus?.(messageId, NOW)).toMatchObject({ kind: 'accepted' });
    }
  });

  it('stays undecided if nothing answers', async () => {
    const unreachable = provider({ baseUrl: 'http://no-such-host.invalid' });
    const answer = await unreachable.queryStatus?.(newId('message'), NOW - 5 * 60_000);
    expect(answer).toMatchObject({ kind: 'undecided' });
  });
});

it.each([
  ['messages[0].destinations[0].to', 'recipient'],
  ['messages[0].content.text', 'content'],
  ['messages[0].sender', 'unavailable'],
])('blames the part of the request that %s names', async (property, cause) => {
  const body = {
    errorCode: 'E400',
    description: '5511987654321',
    action: '',
    violations: [{ property, violation: '5511987654321' }],
    resources: [],
  };
  const answer = await provider(
    {},
    answeredBy(
      () => Response.json(body, { status: 400 }),
      () => NOW,
    ),
  ).send(dispatch());
  expect(answer).toEqual({ kind: 'refused', cause, detail: 'infobip: HTTP 400 E400' });
});

it('calls the error page of a proxy in between unknown', async () => {
  const page = () => new Response('<html>Forbidden</html>', { status: 403, headers: { 'content-type': 'text/html' } });
  expect(
    await provider(
      {},
      answeredBy(page, () => NOW),
    ).send(dispatch()),
  ).toMatchObject({ kind: 'unknown' });
});

it('leaves the address of reports to the subscription when the settings say so', async () => {
  await provider({ reportTo: 'subscription' }).send(dispatch());
  expect(standIn.messages.at(-1)?.callbackUrl).toBe('');
  await provider().send(dispatch());
  expect(standIn.messages.at(-1)?.callbackUrl).toBe('https://callbacks.test/callbacks/provider');
});

it.each([
  [{ groupId: 1, id: 7, name: 'PENDING_ENROUTE' }, 'NO_ERROR', []],
  [{ groupId: 1, id: 3, name: 'PENDING_WAITING_DELIVERY' }, 'NO_ERROR', [['sent', undefined]]],
  [{ groupId: 3, id: 2, name: 'DELIVERED_TO_OPERATOR' }, 'NO_ERROR', [['sent', undefined]]],
  [{ groupId: 3, id: 5, name: 'DELIVERED_TO_HANDSET' }, 'NO_ERROR', [['delivered', undefined]]],
  [{ groupId: 2, id: 9, name: 'UNDELIVERABLE_NOT_DELIVERED' }, 'EC_ABSENT_SUBSCRIBER', [['undelivered', undefined]]],
  [
    { groupId: 2, id: 9, name: 'UNDELIVERABLE_NOT_DELIVERED' },
    'EC_SC_BLOCKED_BY_END_USER',
    [['undelivered', 'blacklisted']],
  ],
  [{ groupId: 4, id: 15, name: 'EXPIRED_EXPIRED' }, 'NO_ERROR', [['failed', 'expired']]],
  [{ groupId: 4, id: 29, name: 'EXPIRED_DLR_UNKNOWN' }, 'NO_ERROR', []],
  [{ groupId: 4, id: 29, name: 'EXPIRED_DLR_UNKNOWN' }, 'EC_VALIDITY_EXPIRED', []],
  [{ groupId: 4, id: 87, name: 'SIGNALS_BLOCKED' }, 'NO_ERROR', [['failed', 'carrier_rejected']]],
  [{ groupId: 5, id: 8, name: 'REJECTED_PREFIX_MISSING' }, 'NO_ERROR', [['failed', 'invalid_number']]],
  [{ groupId: 9, id: 900, name: 'OF_THE_FUTURE' }, 'NO_ERROR', []],
] as const)('reads the report %j with %s as %j', async (status, error, expected) => {
  const message = await accepted();
  const reading = await provider().readCallback(standIn.report(message, status, error));
  expect(receiptsOf(reading, 'status', 'reason')).toEqual(expected);
});

const REPORT = exampleReport.results[0];
const REPLY = exampleInbound.results[0];
const { to: _, ...unaddressed } = REPLY ?? {};
it.each([
  ['a report without a status', { messageId: 'a', to: '5511987654321' }],
  ['a reply without an addressee', unaddressed],
  ['no object', null],
])('counts an entry that cannot be read, and reads the others: %s', async (_, entry) => {
  const body = JSON.stringify({ results: [REPORT, entry, REPLY] });
  const reading = await provider().readCallback(standIn.signed(await accepted(), body));
  expect(reading).toMatchObject({ ...events({ kind: 'receipt' }, { kind: 'reply' }), unreadable: 1 });
});

it('counts an unreadable entry beside reports that change nothing', async () => {
  const pending = { ...REPORT, status: { groupId: 1, id: 7, name: 'PENDING_ENROUTE' } };
  const body = JSON.stringify({ results: [pending, {}] });
  expect(await provider().readCallback(standIn.signed(await accepted(), body))).toEqual({ ...events(), unreadable: 1 });
});

it.each([
  [{ groupId: 5, id: 6, name: 'REJECTED_NETWORK' }, true],
  [{ groupId: 5, id: 23, name: 'REJECTED_DUPLICATE_MESSAGE_ID' }, undefined],
  [{ groupId: 2, id: 4, name: 'UNDELIVERABLE_REJECTED_OPERATOR' }, undefined],
  [{ groupId: 4, id: 15, name: 'EXPIRED_EXPIRED' }, undefined],
] as const)('takes the report %j as a refusal of the message: %s', async (status, refused) => {
  const reading = await provider().readCallback(standIn.report(await accepted(), status, 'NO_ERROR'));
  expect(receiptsOf(reading, 'refused')).toEqual([[refused]]);
});

const sign = (document: unknown, auth: object, timestamp?: string) => {
  const settings = infobipSettings.parse({ ...standIn.settings, callbackAuth: auth });
  const body = JSON.stringify(document);
  if (settings.callbackAuth.type !== 'hmac') throw new Error('no HMAC');
  const { header, timestampHeader } = settings.callbackAuth;
  return {
    url: 'https://callbacks.test/callbacks/infobip',
    headers: {
      [header]: infobipSignature(settings.callbackAuth, body, timestamp),
      ...(timestamp && timestampHeader ? { [timestampHeader]: timestamp } : {}),
    },
    body,
  };
};
const BODY_ONLY = { type: 'hmac', secretKey: 'key', header: 'X-Signature' };
const WITH_TIME = { ...BODY_ONLY, timestampHeader: 'X-Ib-Exchange-Req-Timestamp' };

it('reads the documented delivery report, in milliseconds of its own time zone', async () => {
  const reading = await provider({ callbackAuth: BODY_ONLY }).readCallback(sign(exampleReport, BODY_ONLY));
  expect(reading).toMatchObject(
    events(
      {
        kind: 'receipt',
        messageId: 'MESSAGE-ID-123-xyz',
        status: 'delivered',
        at: Date.parse('2019-11-09T15:00:00.000Z'),
        receipt: { to: '+41793026727', bill_factor: 1 },
      },
      { kind: 'receipt' },
    ),
  );
});

it('reads the documented inbound message', async () => {
  expect(await provider({ callbackAuth: BODY_ONLY }).readCallback(sign(exampleInbound, BODY_ONLY))).toMatchObject(
    events({
      kind: 'reply',
      providerReplyId: '817790313235066447',
      from: '+385916242493',
      to: '+385921004026',
      body: 'QUIZ Correct answer is Paris',
      at: Date.parse('2019-11-09T16:00:00.000Z'),
    }),
  );
});

it('refuses a replay of a signed timestamp after five minutes', async () => {
  const read = (age: number) =>
    provider({ callbackAuth: WITH_TIME }).readCallback(sign(exampleReport, WITH_TIME, String(NOW - age)));
  expect((await read(299_000)).kind).toBe('events');
  expect((await read(301_000)).kind).toBe('forged');
  expect((await read(-301_000)).kind).toBe('forged');
});

it('does not accept a signature over the body alone where the timestamp must be signed too', async () => {
  const signed = sign(exampleReport, BODY_ONLY);
  expect((await provider({ callbackAuth: WITH_TIME }).readCallback(signed)).kind).toBe('forged');
});

it('accepts Basic credentials where the settings say so, and only the right ones', async () => {
  const basic = provider({ callbackAuth: { type: 'basic', username: 'user1', password: 'password1' } });
  const read = (authorization?: string) =>
    basic.readCallback({
      url: 'https://callbacks.test/x',
      headers: authorization ? { authorization } : {},
      body: JSON.stringify(exampleReport),
    });
  const credentials = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  expect((await read(credentials('user1:password1'))).kind).toBe('events');
  expect((await read(credentials('user1:password2'))).kind).toBe('forged');
  expect((await read()).kind).toBe('forged');
});

it('refuses settings without authentication of callbacks, and broken algorithms', () => {
  const parses = (callbackAuth: unknown) => infobipSettings.safeParse({ ...standIn.settings, callbackAuth }).success;
  expect(parses(undefined)).toBe(false);
  expect(parses({ type: 'none' })).toBe(false);
  expect(parses({ ...BODY_ONLY, algorithm: 'HMAC_MD5' })).toBe(false);
  expect(parses({ ...BODY_ONLY, algorithm: 'HMAC_SHA_512' })).toBe(true);
});
