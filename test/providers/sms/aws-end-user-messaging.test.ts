import { describe, expect, it, vi } from 'vitest';
import exampleInbound from '../../../events/providers/aws-end-user-messaging.inbound-message.json' with {
  type: 'json',
};
import exampleEvent from '../../../events/providers/aws-end-user-messaging.text-event.json' with { type: 'json' };
import { startAwsEndUserMessagingStandIn } from '../../support/providers/aws-end-user-messaging-stand-in.ts';
import { answeredBy } from '../../support/providers/io.ts';
import { accepted as acceptedBy, NOW, open } from '../../support/providers/kit.ts';
import { smsDispatch as dispatch } from '../../support/providers/sms-kit.ts';
import { use } from '../../support/use.ts';
import { itNeverRetriesASend, lastBody, receiptsOf } from '../shared.ts';

const NAME = 'aws_end_user_messaging';
const standIn = await use(startAwsEndUserMessagingStandIn(() => NOW));
const provider = (over: object = {}, io = {}) =>
  open('sms', NAME, { ...standIn.settings, timeoutMs: 10_000, ...over }, io);
const accepted = () => acceptedBy(standIn, provider(), dispatch());

it.each([
  ['otp', 'TRANSACTIONAL'],
  ['premium', 'PROMOTIONAL'],
] as const)('sends the route %s as %s, with our reference in the context', async (route, MessageType) => {
  const sent = dispatch({ route });
  await provider().send(sent);
  expect(lastBody(standIn)).toEqual({
    DestinationPhoneNumber: sent.to,
    OriginationIdentity: '+5511400001234',
    MessageBody: sent.content.text,
    MessageType,
    ConfigurationSetName: 'sms',
    Context: { messageId: sent.messageId },
  });
});

itNeverRetriesASend(['ThrottlingException', 'InternalServerException'], { standIn, provider, dispatch });

it('without AWS credentials is refused before a request', async () => {
  const { accessKeyId: _, secretAccessKey: __, ...withoutKeys } = standIn.settings as Record<string, unknown>;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  for (const name of ['AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE']) vi.stubEnv(name, '/dev/null');
  try {
    expect(await open('sms', NAME, { ...withoutKeys, timeoutMs: 5_000 }).send(dispatch())).toMatchObject({
      kind: 'refused',
      cause: 'credentials',
    });
  } finally {
    vi.unstubAllEnvs();
  }
});

it.each([
  ['TEXT_QUEUED', []],
  ['TEXT_PENDING', []],
  ['TEXT_UNKNOWN', []],
  ['VOICE_COMPLETED', []],
  ['TEXT_SENT', [['sent', undefined]]],
  ['TEXT_SUCCESSFUL', [['sent', undefined]]],
  ['TEXT_DELIVERED', [['delivered', undefined]]],
  ['TEXT_INVALID', [['failed', 'invalid_number']]],
  ['TEXT_INVALID_MESSAGE', [['failed', undefined]]],
  ['TEXT_UNREACHABLE', [['undelivered', undefined]]],
  ['TEXT_CARRIER_UNREACHABLE', [['undelivered', undefined]]],
  ['TEXT_BLOCKED', [['undelivered', 'blacklisted']]],
  ['TEXT_CARRIER_BLOCKED', [['undelivered', 'carrier_rejected']]],
  ['TEXT_SPAM', [['undelivered', 'carrier_rejected']]],
  ['TEXT_TTL_EXPIRED', [['failed', 'expired']]],
  ['TEXT_PROTECT_BLOCKED', [['failed', 'blacklisted']]],
] as const)('reads the event %s as %j', async (type, expected) => {
  const message = await accepted();
  const reading = await provider().readCallback(standIn.event(message, type));
  expect(receiptsOf(reading, 'status', 'reason')).toEqual(expected);
});

it('reads the documented event and the documented two-way message', async () => {
  expect(await provider().readCallback(standIn.notification(JSON.stringify(exampleEvent)))).toMatchObject({
    events: [
      {
        kind: 'receipt',
        providerMessageId: '862a8790-60c0-4430-9b2b-658bdexample',
        status: 'sent',
        at: 1686975103470,
        receipt: { to: '+14255550156' },
      },
    ],
  });
  expect(
    await provider().readCallback(
      standIn.notification(JSON.stringify(exampleInbound), { Timestamp: '2026-01-02T03:04:05.678Z' }),
    ),
  ).toMatchObject({
    events: [
      {
        kind: 'reply',
        providerReplyId: 'cae173d2-66b9-564c-8309-21f858e9fb84',
        inReplyTo: { providerMessageId: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
        from: '+14255550182',
        to: '+12125550101',
        body: 'EXAMPLE',
        at: Date.parse('2026-01-02T03:04:05.678Z'),
      },
    ],
  });
});

describe('an SNS delivery', () => {
  const CERTIFICATE_URL =
    'https://sns.sa-east-1.amazonaws.com/SimpleNotificationService-00000000000000000000000000000000.pem';
  const message = JSON.stringify(exampleEvent);
  const read = (callback: Parameters<ReturnType<typeof provider>['readCallback']>[0], over: object = {}) =>
    provider(over).readCallback(callback);

  it.each(['1', '2'] as const)(
    'is accepted with a signature of version %s, with a subject and without',
    async (SignatureVersion) => {
      for (const subject of [{}, { Subject: 'a subject' }])
        expect((await read(standIn.notification(message, { SignatureVersion, ...subject }))).kind).toBe('events');
    },
  );

  it.each([
    CERTIFICATE_URL.replace('https', 'http'),
    'https://sns.sa-east-1.amazonaws.com.attacker.test/a.pem',
    'https://attacker.test/sns.sa-east-1.amazonaws.com/a.pem',
    'https://sns.sa-east-1.amazonaws.com@attacker.test/a.pem',
    'https://sns.sa-east-1.amazonaws.com:8443/a.pem',
    'https://sns.us-east-1.amazonaws.com/a.pem',
    'https://sns.sa-east-1.amazonaws.com.cn/a.pem',
    'https://s3.sa-east-1.amazonaws.com/bucket/a.pem',
    'https://sns.sa-east-1.amazonaws.com/a.txt',
    'file:///a.pem',
    'no address',
  ])('fetches no certificate from %s', async (SigningCertURL) => {
    const before = standIn.requests.length;
    expect(await read(standIn.notification(message, { SigningCertURL }))).toMatchObject({ kind: 'forged' });
    expect(standIn.requests.length).toBe(before);
  });

  it('of another topic is refused, however well it is signed', async () => {
    const TopicArn = 'arn:aws:sns:sa-east-1:999999999999:sms-events';
    expect(await read(standIn.notification(message, { TopicArn }))).toMatchObject({ kind: 'forged' });
  });

  it.each([
    [-61, 'forged'],
    [-59, 'events'],
    [59, 'events'],
    [61, 'forged'],
  ])('that was published %i minutes from now is read as %s', async (minutes, kind) => {
    const Timestamp = new Date(NOW + minutes * 60_000).toISOString();
    expect(await read(standIn.notification(message, { Timestamp }))).toMatchObject({ kind });
  });

  it('without a time is refused', async () => {
    expect(await read(standIn.notification(message, { Timestamp: 'now' }))).toMatchObject({ kind: 'forged' });
  });

  it('fetches the certificate once and caches it', async () => {
    await read(standIn.notification(message, { SigningCertURL: CERTIFICATE_URL }));
    const before = standIn.requests.length;
    await read(standIn.notification(message, { SigningCertURL: CERTIFICATE_URL }));
    expect(standIn.requests.length).toBe(before);
  });

  it('is unverifiable while the certificate cannot be fetched: SNS repeats on 5xx and drops on 4xx', async () => {
    const another = await startAwsEndUserMessagingStandIn(() => NOW);
    const reader = open('sms', NAME, another.settings);
    another.failCertificate(503);
    const callback = another.notification(message);
    expect(await reader.readCallback(callback)).toMatchObject({ kind: 'unverifiable' });
    expect((await reader.readCallback(callback)).kind).toBe('events');
    await another.close();
  });

  it('is refused when its certificate does not exist', async () => {
    const SigningCertURL = 'https://sns.sa-east-1.amazonaws.com/absent.pem';
    expect(await read(standIn.notification(message, { SigningCertURL }))).toMatchObject({ kind: 'forged' });
  });

  it('is refused under a certificate that has expired', async () => {
    const late = provider({}, { now: () => Date.parse('2121-01-01T00:00:00Z') });
    const Timestamp = '2121-01-01T00:00:00.000Z';
    expect(await late.readCallback(standIn.notification(message, { Timestamp }))).toMatchObject({ kind: 'forged' });
  });

  it('fetches the certificate from AWS itself, where no other address is set', async () => {
    const fetched: string[] = [];
    const answer = (url: string) => {
      fetched.push(url);
      return new Response('', { status: 503 });
    };
    const real = provider(
      { snsBaseUrl: undefined },
      answeredBy(answer, () => NOW),
    );
    expect(await real.readCallback(standIn.notification(message))).toMatchObject({ kind: 'unverifiable' });
    expect(fetched).toEqual([CERTIFICATE_URL]);
  });
});

describe('a new subscription', () => {
  it('is confirmed when its handshake is signed', async () => {
    expect(await provider().readCallback(standIn.handshake())).toEqual({ kind: 'confirmed' });
    expect(standIn.confirmed.at(-1)).toContain('Token=2336412f37');
  });

  it.each([
    'https://attacker.test/?Action=ConfirmSubscription',
    'https://sns.sa-east-1.amazonaws.com/?Action=DeleteTopic',
    'https://sns.sa-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=other',
  ])('is not confirmed at %s', async (url) => {
    const before = standIn.confirmed.length;
    expect(await provider().readCallback(standIn.handshake(url))).toMatchObject({ kind: 'forged' });
    expect(standIn.confirmed.length).toBe(before);
  });

  it('is not confirmed when its handshake was altered', async () => {
    const handshake = standIn.handshake();
    const body = handshake.body.replace('"Token":"2336412f37"', '"Token":"other"');
    expect(await provider().readCallback({ ...handshake, body })).toMatchObject({ kind: 'forged' });
  });
});
