import { randomUUID } from 'node:crypto';
import type { EmailContent } from '../../../shared/domain/channels/email/content.ts';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import { AWS_ACCESS, isSignedFor, type SnsStandIn, snsStandIn } from './aws-stand-in.ts';
import type { EmailOutcome } from './email-kit.ts';
import {
  type AcceptedMessage,
  type RecordedRequest,
  type StandIn,
  type StandInAnswer,
  startServer,
  THROTTLED_SECONDS,
  type UnderTest,
} from './stand-in.ts';

const TOPIC = 'arn:aws:sns:sa-east-1:123456789012:email-events';

/** REST JSON, with the error's name in the header that the SDK reads first. */
const aws = (status: number, body: unknown, headers = {}): StandInAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'x-amzn-requestid': randomUUID(), ...headers },
  body: JSON.stringify(body),
});
const STATUSES: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  InvalidClientTokenId: 403,
  NotFoundException: 404,
  TooManyRequestsException: 429,
  UnrecognizedClientException: 403,
};
const problem = (type: string, words = 'refused', headers = {}): StandInAnswer =>
  aws(
    STATUSES[type] ?? 400,
    { message: `${words}: ana.5511@example.com.br segredo` },
    { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazonaws.services.sesv2/`, ...headers },
  );

interface Part {
  readonly Data: string;
  readonly Charset: string;
}
interface SendBody {
  readonly FromEmailAddress: string;
  readonly Destination: { readonly ToAddresses: readonly string[] };
  readonly Content: {
    readonly Simple: {
      readonly Subject: Part;
      readonly Body: { readonly Html?: Part; readonly Text?: Part };
      readonly Headers?: readonly { readonly Name: string; readonly Value: string }[];
    };
  };
  readonly ConfigurationSetName: string;
  readonly EmailTags: readonly { readonly Name: string; readonly Value: string }[];
}

/** Both headers and https, or nothing: a mailbox provider shows its button for no less (RFC 8058, 3.1). One machine has no https. */
const unsubscribeUrl = ({ Headers = [] }: SendBody['Content']['Simple']): string | undefined => {
  const [list, post] = ['List-Unsubscribe', 'List-Unsubscribe-Post'].map(
    (name) => Headers.find(({ Name }) => Name === name)?.Value,
  );
  return post === 'List-Unsubscribe=One-Click'
    ? /^<((?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost):)[^>]+)>$/.exec(list ?? '')?.[1]
    : undefined;
};
const contentOf = ({ FromEmailAddress, Content: { Simple } }: SendBody): EmailContent => ({
  from: FromEmailAddress,
  subject: Simple.Subject.Data,
  html: Simple.Body.Html?.Data,
  text: Simple.Body.Text?.Data,
  ...(Simple.Headers ? { unsubscribeUrl: unsubscribeUrl(Simple) } : {}),
});

/** What SES itself refuses before it looks at anything else. */
const check = (body: SendBody): StandInAnswer | undefined => {
  const { Body, Subject } = body.Content.Simple;
  const parts = [Subject, Body.Html, Body.Text].filter((part) => part !== undefined);
  if (parts.length < 2 || parts.some(({ Charset }) => Charset !== 'UTF-8')) return problem('BadRequestException');
  if (body.ConfigurationSetName !== 'email') return problem('NotFoundException', 'Configuration set does not exist');
  if (!body.EmailTags.every(({ Name, Value }) => /^[A-Za-z0-9_@.-]{1,256}$/.test(Name + Value)))
    return problem('BadRequestException');
  return /[^\x20-\x7e]/.test(body.FromEmailAddress + body.Destination.ToAddresses.join())
    ? problem('BadRequestException', 'Local address contains control or whitespace')
    : undefined;
};

/** Amazon SES and the SNS behind it, as far as sending an e-mail needs them. */
export interface AmazonSesStandIn extends StandIn<EmailOutcome>, SnsStandIn {
  /** A signed notification of an event of this type, with its own object. */
  event(message: AcceptedMessage, eventType: string, own?: object): CallbackRequest;
  /** The suppression list of its account. */
  readonly suppressed: Set<string>;
}

const LISTED = '/v2/email/suppression/addresses/';

const AT = '2026-01-02T03:04:05.000Z';
const bounce = (bounceType: string, bounceSubType: string) => ({
  bounce: {
    bounceType,
    bounceSubType,
    bouncedRecipients: [
      {
        emailAddress: 'ana.5511@example.com.br',
        action: 'failed',
        status: '5.1.1',
        diagnosticCode: 'smtp; 550 5.1.1 user unknown',
      },
    ],
    timestamp: AT,
    feedbackId: '01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000',
    reportingMTA: 'dsn; mta.example.com',
  },
});
const EVENTS: Readonly<Record<EmailOutcome, readonly [eventType: string, own: object]>> = {
  sent: ['Send', { send: {} }],
  delivered: [
    'Delivery',
    { delivery: { timestamp: AT, recipients: ['ana.5511@example.com.br'], smtpResponse: '250 ok' } },
  ],
  invalid_address: ['Bounce', bounce('Permanent', 'General')],
  mailbox_full: ['Bounce', bounce('Transient', 'MailboxFull')],
  suppressed: ['Bounce', bounce('Permanent', 'OnAccountSuppressionList')],
  provider_error: ['Bounce', bounce('Undetermined', 'Undetermined')],
  complaint: ['Complaint', { complaint: { complaintSubType: null, complaintFeedbackType: 'abuse', timestamp: AT } }],
  content_rejected: ['Reject', { reject: { reason: 'Bad content' } }],
};

/** An event of a configuration set, before its envelope. */
export const sesEventOf = (
  { messageId, providerMessageId, from, to }: AcceptedMessage,
  eventType: string,
  own: object,
): string =>
  JSON.stringify({
    eventType,
    mail: {
      timestamp: '2026-01-02T03:04:04.000Z',
      source: from,
      sendingAccountId: '123456789012',
      messageId: providerMessageId,
      destination: [to],
      headersTruncated: false,
      headers: [{ name: 'To', value: to }],
      commonHeaders: { from: [from], to: [to], messageId: providerMessageId },
      tags: { 'ses:configuration-set': ['email'], 'ses:source-ip': ['192.0.2.0'], messageId: [messageId] },
    },
    ...own,
  });

/** Starts the stand-in. The SDK and the check of SNS signatures are pointed at it by its settings. */
export const startAmazonSesStandIn = async (): Promise<AmazonSesStandIn> => {
  const messages: AcceptedMessage[] = [];
  const suppressed = new Set<string>();
  const sns = snsStandIn(TOPIC, 'https://callbacks.test/callbacks/amazon_ses/receipts');
  /** DeleteSuppressedDestination: 200 with an empty body, or NotFoundException. */
  const takeOff = (request: RecordedRequest): StandInAnswer => {
    if (!isSignedFor('ses', request)) return problem('UnrecognizedClientException');
    const listed = suppressed.delete(decodeURIComponent(request.path.slice(LISTED.length)));
    return listed ? { status: 200, headers: {}, body: '' } : problem('NotFoundException', 'does not exist on the list');
  };
  const server = await startServer({
    isSend: ({ method, path }) => method === 'POST' && path === '/v2/email/outbound-emails',
    check: (request) =>
      isSignedFor('ses', request)
        ? check(JSON.parse(request.body) as SendBody)
        : problem('UnrecognizedClientException'),
    accept: ({ body }) => {
      const sent = JSON.parse(body) as SendBody;
      const content = contentOf(sent);
      const accepted = {
        messageId: sent.EmailTags.find(({ Name }) => Name === 'messageId')?.Value ?? '',
        providerMessageId: `0103${randomUUID()}-000000`,
        to: sent.Destination.ToAddresses.join(),
        from: sent.FromEmailAddress,
        text: content.text ?? '',
        callbackUrl: sns.endpoint,
        content,
      };
      messages.push(accepted);
      return aws(200, { MessageId: accepted.providerMessageId });
    },
    refuse: (name) => {
      const [type = '', words] = name.split(':');
      return problem(type, words);
    },
    throttle: () =>
      problem('TooManyRequestsException', 'Maximum sending rate exceeded', {
        'retry-after': String(THROTTLED_SECONDS),
      }),
    serverError: () => aws(500, { message: 'try again' }, { 'x-amzn-errortype': 'InternalServiceErrorException' }),
    other: (request) =>
      request.method === 'DELETE' && request.path.startsWith(LISTED) ? takeOff(request) : sns.answer(request),
  });
  const event = (message: AcceptedMessage, eventType: string, own: object = {}) =>
    sns.notification(sesEventOf(message, eventType, own));
  return Object.assign(sns, {
    provider: 'amazon_ses' as const,
    ...server,
    settings: {
      ...AWS_ACCESS,
      configurationSetName: 'email',
      topicArns: [TOPIC],
      baseUrl: server.baseUrl,
      snsBaseUrl: server.baseUrl,
    },
    messages,
    suppressed,
    event,
    signed: (_message: AcceptedMessage, body: string) => sns.notification(body),
    receipt: (message: AcceptedMessage, outcome: EmailOutcome) => event(message, ...EVENTS[outcome]),
  });
};

export const amazonSesUnderTest: UnderTest = {
  channel: 'email',
  name: 'amazon_ses',
  start: startAmazonSesStandIn,
  refusals: {
    recipient: ['BadRequestException:Illegal address', "BadRequestException:Missing final '@domain'"],
    blacklisted: ['MessageRejected:Address blacklisted'],
    content: ['MessageRejected', 'BadRequestException:Message length is more than 41943040 bytes long'],
    sender: [
      'MessageRejected:Email address is not verified. The following identities failed the check in region SA-EAST-1',
      'MailFromDomainNotVerifiedException',
    ],
    throttled: ['TooManyRequestsException:Maximum sending rate exceeded'],
    credit: [
      'LimitExceededException',
      'TooManyRequestsException:Daily message quota exceeded',
      'AccountSuspendedException',
    ],
    credentials: ['AccessDeniedException', 'UnrecognizedClientException', 'InvalidClientTokenId'],
    unavailable: [
      'NotFoundException:Configuration set does not exist',
      'SendingPausedException',
      'BadRequestException',
    ],
  },
  wrongCredentials: { accessKeyId: 'AKIDANOTHER' },
  replies: false,
};
