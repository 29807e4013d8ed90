import { describe, expect, it } from 'vitest';
import bounceEvent from '../../../events/providers/amazon-ses.bounce-event.json' with { type: 'json' };
import clickEvent from '../../../events/providers/amazon-ses.click-event.json' with { type: 'json' };
import complaintNotification from '../../../events/providers/amazon-ses.complaint-notification.json' with {
  type: 'json',
};
import receivedNotification from '../../../events/providers/amazon-ses.received-notification.json' with {
  type: 'json',
};
import exampleRequest from '../../../events/providers/amazon-ses.send-request.json' with { type: 'json' };
import { startAmazonSesStandIn } from '../../support/providers/amazon-ses-stand-in.ts';
import { emailDispatch as dispatch } from '../../support/providers/email-kit.ts';
import { accepted as acceptedBy, NOW, open } from '../../support/providers/kit.ts';
import { use } from '../../support/use.ts';
import { events, itNeverRetriesASend, lastBody } from '../shared.ts';

const provider = (over: object = {}) =>
  open('email', 'amazon_ses', { ...standIn.settings, timeoutMs: 10_000, ...over });
const standIn = await use(startAmazonSesStandIn(() => NOW));
const message = await acceptedBy(standIn, provider(), dispatch());

const read = (text: string) => provider().readCallback(standIn.notification(text));
const readEvent = (type: string, own: object) => provider().readCallback(standIn.event(message, type, own));
const bounced = (bounceType: string, bounceSubType: string, status?: string) =>
  readEvent('Bounce', {
    bounce: { bounceType, bounceSubType, bouncedRecipients: [{ emailAddress: 'a@b.co', ...(status && { status }) }] },
  });
const ignored = { kind: 'events', events: [] };

describe('a send', () => {
  const content = {
    from: '"Sender Name" <sender@example.com>',
    subject: 'Message sent from Amazon SES',
    html: '<p>This is a sample message</p>',
    text: 'This is a sample message',
    unsubscribeUrl: 'https://api.example.com/u/l0123456789',
  };

  it('is the documented request, with our reference as a tag and both headers of one-click unsubscribe', async () => {
    const sent = dispatch({ to: 'recipient@example.com', content });
    await provider().send({ ...sent, messageId: 'msg_0123456789abcdefghijk' as typeof sent.messageId });
    expect(lastBody(standIn)).toEqual(exampleRequest);
  });

  it('without an unsubscribe URL has no headers of its own', async () => {
    await provider().send(dispatch());
    expect(lastBody(standIn).Content.Simple.Headers).toBeUndefined();
  });

  const retryable = ['TooManyRequestsException', 'InternalServiceErrorException', 'ThrottlingException'];
  itNeverRetriesASend(retryable, { standIn, provider, dispatch });

  it('that fails with an undocumented error is unknown', async () => {
    standIn.script({ refuse: 'SomethingNewException' });
    expect(await provider().send(dispatch())).toEqual({ kind: 'unknown', detail: 'aws SomethingNewException' });
  });
});

describe('a bounce', () => {
  it.each([
    ['Permanent', 'General', 'invalid_address'],
    ['Permanent', 'NoEmail', 'invalid_address'],
    ['Permanent', 'Suppressed', 'suppressed'],
    ['Permanent', 'OnAccountSuppressionList', 'suppressed'],
    ['Transient', 'MailboxFull', 'mailbox_full'],
    ['Transient', 'MessageTooLarge', 'content_rejected'],
    ['Transient', 'ContentRejected', 'content_rejected'],
    ['Transient', 'AttachmentRejected', 'content_rejected'],
    ['Undetermined', 'Undetermined', 'provider_error'],
    ['SomethingNew', 'Other', 'provider_error'],
  ])('%s/%s is %s', async (type, subType, reason) => {
    expect(await bounced(type, subType)).toMatchObject({ kind: 'events', events: [{ status: 'bounced', reason }] });
  });

  it('that is an automatic reply is ignored; one with a delivery status is not', async () => {
    expect(await bounced('Transient', 'General')).toEqual(ignored);
    expect(await bounced('Transient', 'General', '4.4.7')).toMatchObject({
      events: [{ status: 'bounced', reason: 'provider_error' }],
    });
  });
});

describe('an event', () => {
  it('of the published examples is read with our reference and its own time', async () => {
    const about = { messageId: 'msg_0123456789abcdefghijk', providerMessageId: bounceEvent.mail.messageId };
    expect(await read(JSON.stringify(bounceEvent))).toEqual(
      events({
        kind: 'receipt',
        ...about,
        status: 'bounced',
        reason: 'invalid_address',
        at: Date.parse('2017-08-05T00:41:02.669Z'),
      }),
    );
    expect(await read(JSON.stringify(clickEvent))).toEqual(
      events({
        kind: 'engagement',
        ...about,
        what: 'clicked',
        url: clickEvent.click.link,
        at: Date.parse(clickEvent.click.timestamp),
      }),
    );
  });

  it('of an identity, without tags, is matched by the id of SES', async () => {
    expect(await read(JSON.stringify(complaintNotification))).toEqual(
      events({
        kind: 'receipt',
        providerMessageId: complaintNotification.mail.messageId,
        status: 'complained',
        reason: 'complaint',
        at: Date.parse('2016-01-27T14:59:38.237Z'),
      }),
    );
  });

  it('that opens is an engagement, without data about the reader', async () => {
    const open = { ipAddress: '192.0.2.1', timestamp: '2026-01-02T03:04:05.000Z', userAgent: 'Mozilla/5.0' };
    const { messageId, providerMessageId } = message;
    expect(await readEvent('Open', { open })).toEqual(
      events({ kind: 'engagement', messageId, providerMessageId, what: 'opened', at: Date.parse(open.timestamp) }),
    );
  });

  it.each([
    ['a delay', 'DeliveryDelay', { deliveryDelay: { delayType: 'TransientCommunicationFailure' } }],
    ['a preference', 'Subscription', { subscription: {} }],
    ['mail that was marked as not spam', 'Complaint', { complaint: { complaintFeedbackType: 'not-spam' } }],
    ['an unknown type', 'SomethingNew', {}],
    ['a bounce without its object', 'Bounce', {}],
  ])('is ignored for %s', async (_, type, own) => expect(await readEvent(type, own)).toEqual(ignored));

  it.each([
    [
      'Rendering Failure',
      { failure: { errorMessage: 'segredo', templateName: 'x' } },
      { status: 'failed', reason: 'content_rejected' },
    ],
    [
      'Complaint',
      { complaint: { complaintSubType: 'OnAccountSuppressionList' } },
      { status: 'bounced', reason: 'suppressed' },
    ],
    ['Send', { send: {} }, { status: 'sent' }],
  ])('%s is read as documented, without personal data', async (type, own, meaning) => {
    const reading = await readEvent(type, own);
    expect(reading).toMatchObject({ events: [meaning] });
    expect(JSON.stringify(reading)).not.toMatch(/segredo|5511/);
  });

  it.each([
    'Successfully validated SNS topic for Amazon SES event publishing.',
    '{"notificationType":"AmazonSnsSubscriptionSucceeded","message":"You have successfully subscribed"}',
  ])('that SES publishes when a topic is set up is ignored: %s', async (text) =>
    expect(await read(text)).toEqual(ignored),
  );

  it('of another topic, or with a signature that SNS did not make, is forged', async () => {
    const text = JSON.stringify(bounceEvent);
    const other = standIn.notification(text, { TopicArn: 'arn:aws:sns:sa-east-1:999999999999:others' });
    expect(await provider().readCallback(other)).toMatchObject({ kind: 'forged' });
    const altered = standIn.notification(text);
    const forged = { ...altered, body: altered.body.replace('5.1.1', '5.1.2') };
    expect(await provider().readCallback(forged)).toMatchObject({ kind: 'forged' });
  });
});

describe('an inbound e-mail', () => {
  const { mail, receipt } = receivedNotification;
  const receivedWith = (headers: object[], over: object = {}) =>
    read(
      JSON.stringify({
        ...receivedNotification,
        receipt: { ...receipt, ...over },
        mail: { ...mail, headers: [...mail.headers, ...headers] },
      }),
    );

  it('is read as in the published example: sender, address, subject, and nothing of its body', async () => {
    expect(await read(JSON.stringify({ ...receivedNotification, content: 'Subject: segredo' }))).toEqual(
      events({
        kind: 'inbound',
        providerMessageId: 'd6iitobk75ur44p8kdnnp7g2n800',
        channel: 'email',
        from: 'sender@example.com',
        to: 'recipient@example.com',
        type: 'text',
        payload: { email: { subject: 'Example subject' } },
        at: Date.parse('2015-09-11T20:32:33.936Z'),
      }),
    );
  });

  it.each(['email.amazonses.com', 'sa-east-1.amazonses.com', 'amazonses.com'])(
    'replies to the message whose id SES wrote at %s',
    async (host) => {
      const headers = [{ name: 'In-Reply-To', value: `<${message.providerMessageId}@${host}>` }];
      expect(await receivedWith(headers)).toMatchObject({ events: [{ inReplyTo: message.providerMessageId }] });
    },
  );

  it('replies to no message by an id of another host', async () => {
    const headers = [{ name: 'In-Reply-To', value: '<0103-1@amazonses.com.example>' }];
    const reading = await receivedWith(headers);
    expect(reading).toMatchObject({ events: [{ kind: 'inbound' }] });
    expect(JSON.stringify(reading)).not.toContain('inReplyTo');
  });

  it.each([
    ['an automatic reply', [{ name: 'Auto-Submitted', value: 'auto-replied' }], {}],
    ['spam', [], { spamVerdict: { status: 'FAIL' } }],
    ['malware', [], { virusVerdict: { status: 'FAIL' } }],
    ['rejected by the DMARC policy of its domain', [], { dmarcVerdict: { status: 'FAIL' } }],
  ])('is ignored where it is %s', async (_, headers, verdicts) => {
    expect(await receivedWith(headers, verdicts)).toEqual(ignored);
  });
});

it('confirms the subscription of its topic, once', async () => {
  expect(await provider().readCallback(standIn.handshake())).toEqual({ kind: 'confirmed' });
  expect(standIn.confirmed.length).toBe(1);
});
