import { describe, expect, it } from 'vitest';
import exampleInbound from '../../../events/providers/aws-end-user-messaging.inbound-message.json' with {
  type: 'json',
};
import exampleEvent from '../../../events/providers/aws-end-user-messaging.text-event.json' with { type: 'json' };
import { startAwsEndUserMessagingStandIn } from '../../support/providers/aws-end-user-messaging-stand-in.ts';
import { accepted as acceptedBy, open } from '../../support/providers/kit.ts';
import { smsDispatch as dispatch } from '../../support/providers/sms-kit.ts';
import { use } from '../../support/use.ts';

const NAME = 'aws_end_user_messaging';
const standIn = await use(startAwsEndUserMessagingStandIn());
const provider = (over: object = {}, io = {}) =>
  open('sms', NAME, { ...standIn.settings, timeoutMs: 500, ...over }, io);
const accepted = () => acceptedBy(standIn, provider(), dispatch());

it.each([
  ['otp', 'TRANSACTIONAL'],
  ['premium', 'PROMOTIONAL'],
] as const)('sends the route %s as %s, with our reference in the context', async (route, MessageType) => {
  const sent = dispatch({ route });
  await provider().send(sent);
  expect(JSON.parse(standIn.requests.at(-1)?.body ?? '')).toEqual({
    DestinationPhoneNumber: sent.to,
    OriginationIdentity: '+5511400001234',
    MessageBody: sent.content.text,
    MessageType,
    ConfigurationSetName: 'sms',
    Context: { messageId: sent.messageId },
  });
});

it.each(['ThrottlingException', 'InternalServerException'])(
  'never lets the SDK repeat a send, whatever it thinks of %s',
  async (name) => {
    const before = standIn.requests.length;
    standIn.script({ refuse: name });
    await provider().send(dispatch());
    expect(standIn.requests.length).toBe(before + 1);
  },
);

it('needs credentials before anything leaves', async () => {
  const { accessKeyId: _, secretAccessKey: __, ...withoutKeys } = standIn.settings as Record<string, unknown>;
  const kept = { ...process.env };
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) delete process.env[name];
  Object.assign(process.env, {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_CONFIG_FILE: '/dev/null',
  });
  try {
    expect(await open('sms', NAME, { ...withoutKeys, timeoutMs: 5_000 }).send(dispatch())).toMatchObject({
      kind: 'refused',
      cause: 'credentials',
    });
  } finally {
    process.env = kept;
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
  expect(
    reading.kind === 'events' &&
      reading.events.map((event) => event.kind === 'receipt' && [event.status, event.reason]),
  ).toEqual(expected);
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
  expect(await provider().readCallback(standIn.notification(JSON.stringify(exampleInbound)))).toMatchObject({
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
  const message = JSON.stringify(exampleEvent);
  const read = (callback: Parameters<ReturnType<typeof provider>['readCallback']>[0], over: object = {}) =>
    provider(over).readCallback(callback);

  it.each(['1', '2'] as const)(
    'is taken with a signature of version %s, with a subject and without',
    async (SignatureVersion) => {
      expect((await read(standIn.notification(message, { SignatureVersion }))).kind).toBe('events');
      expect((await read(standIn.notification(message, { SignatureVersion, Subject: 'a subject' }))).kind).toBe(
        'events',
      );
    },
  );

  it.each([
    'http://sns.sa-east-1.amazonaws.com/SimpleNotificationService-00000000000000000000000000000000.pem',
    'https://sns.sa-east-1.amazonaws.com.attacker.test/a.pem',
    'https://attacker.test/sns.sa-east-1.amazonaws.com/a.pem',
    'https://sns.sa-east-1.amazonaws.com@attacker.test/a.pem',
    'https://sns.sa-east-1.amazonaws.com:8443/a.pem',
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
    expect(
      await read(standIn.notification(message, { TopicArn: 'arn:aws:sns:sa-east-1:999999999999:sms-events' })),
    ).toMatchObject({ kind: 'forged' });
  });

  it('asks for the certificate once and keeps it', async () => {
    const SigningCertURL =
      'https://sns.sa-east-1.amazonaws.com/SimpleNotificationService-00000000000000000000000000000000.pem';
    await read(standIn.notification(message, { SigningCertURL }));
    const before = standIn.requests.length;
    await read(standIn.notification(message, { SigningCertURL }));
    expect(standIn.requests.length).toBe(before);
  });

  it('is asked for again later when the certificate cannot be had just now, since SNS repeats 5xx and drops 4xx', async () => {
    const another = await startAwsEndUserMessagingStandIn();
    const reader = open('sms', NAME, another.settings);
    another.failCertificate(503);
    const callback = another.notification(message);
    expect(await reader.readCallback(callback)).toMatchObject({ kind: 'unverifiable' });
    expect((await reader.readCallback(callback)).kind).toBe('events');
    await another.close();
  });

  it('is refused when there is no certificate where it points', async () => {
    const SigningCertURL = 'https://sns.sa-east-1.amazonaws.com/absent.pem';
    expect(await read(standIn.notification(message, { SigningCertURL }))).toMatchObject({ kind: 'forged' });
  });

  it('is refused under a certificate that has expired', async () => {
    const late = provider({}, { now: () => Date.parse('2121-01-01T00:00:00Z') });
    expect(await late.readCallback(standIn.notification(message))).toMatchObject({ kind: 'forged' });
  });

  it('goes to AWS itself, where no other address is set', async () => {
    const asked: string[] = [];
    const fetch = async (url: unknown) => {
      asked.push(String(url));
      return new Response('', { status: 503 });
    };
    const real = provider({ snsBaseUrl: undefined }, { fetch });
    expect(await real.readCallback(standIn.notification(message))).toMatchObject({ kind: 'unverifiable' });
    expect(asked).toEqual([
      'https://sns.sa-east-1.amazonaws.com/SimpleNotificationService-00000000000000000000000000000000.pem',
    ]);
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
    const { body, ...rest } = standIn.handshake();
    expect(
      await provider().readCallback({ ...rest, body: body.replace('"Token":"2336412f37"', '"Token":"other"') }),
    ).toMatchObject({ kind: 'forged' });
  });
});
