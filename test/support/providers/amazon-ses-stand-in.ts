import { randomUUID } from 'node:crypto';
import type { EmailContent } from '../../../shared/domain/channels/email/content.ts';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import { nameServer } from '../name-server.ts';
import { AWS_ACCESS, awsAnswer, isSignedFor, type SnsStandIn, snsStandIn } from './aws-stand-in.ts';
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

/** REST JSON, with the error's name in a header. */
const aws = awsAnswer('application/json');
const STATUSES: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  InvalidClientTokenId: 403,
  NotFoundException: 404,
  TooManyRequestsException: 429,
  UnrecognizedClientException: 403,
};
const problem = (type: string, message = 'refused', headers = {}): StandInAnswer =>
  aws(
    STATUSES[type] ?? 400,
    { message: `${message}: ana.5511@example.com.br segredo` },
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

/** Both headers and an https address, or nothing: mailbox providers require both (RFC 8058, 3.1). This machine has no https. */
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

/** The first refusals of SES. */
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
  /** The account's suppression list. */
  readonly suppressed: Set<string>;
  /** The identities of its account, each with its VerificationStatus. */
  readonly identities: Map<string, IdentityStatus>;
  /** The TXT records that name servers answer, by name. */
  readonly texts: Map<string, readonly string[]>;
}

type IdentityStatus = 'FAILED' | 'PENDING' | 'SUCCESS';
const IDENTITIES = '/v2/email/identities';
const SUPPRESSION_PATH = '/v2/email/suppression/addresses/';

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
const sesEventOf = (
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

/** Starts the stand-in; its settings lead the SDK and the check of SNS signatures to it. */
export const startAmazonSesStandIn = async (now: () => number = Date.now): Promise<AmazonSesStandIn> => {
  const messages: AcceptedMessage[] = [];
  const suppressed = new Set<string>();
  const identities = new Map<string, IdentityStatus>();
  const texts = new Map<string, readonly string[]>();
  const dns = await nameServer((name) => ({ txt: texts.get(name) ?? [] }));
  const sns = snsStandIn(TOPIC, 'https://callbacks.test/callbacks/amazon_ses/receipts', now);
  /** DeleteSuppressedDestination: 200 with an empty body, or NotFoundException. */
  const takeOff = (request: RecordedRequest): StandInAnswer => {
    if (!isSignedFor('ses', request)) return problem('UnrecognizedClientException');
    const listed = suppressed.delete(decodeURIComponent(request.path.slice(SUPPRESSION_PATH.length)));
    return listed ? { status: 200, headers: {}, body: '' } : problem('NotFoundException', 'does not exist on the list');
  };
  /** CreateEmailIdentity, GetEmailIdentity, DeleteEmailIdentity. */
  const identity = (request: RecordedRequest): StandInAnswer => {
    if (!isSignedFor('ses', request)) return problem('UnrecognizedClientException');
    const isNew = request.method === 'POST';
    const name = isNew
      ? (JSON.parse(request.body) as { EmailIdentity: string }).EmailIdentity
      : decodeURIComponent(request.path.slice(IDENTITIES.length + 1));
    if (isNew && identities.has(name))
      return problem('AlreadyExistsException', `Email identity ${name} already exist.`);
    if (isNew) identities.set(name, 'PENDING');
    const status = identities.get(name);
    if (status === undefined) return problem('NotFoundException', `Email identity ${name} does not exist.`);
    if (request.method === 'DELETE') identities.delete(name);
    if (request.method === 'DELETE') return aws(200, {});
    const isDomain = !name.includes('@');
    const Tokens = isDomain ? ['aaa', 'bbb', 'ccc'].map((each) => `${each}${name.replaceAll('.', '')}`) : undefined;
    return aws(200, {
      IdentityType: isDomain ? 'DOMAIN' : 'EMAIL_ADDRESS',
      VerifiedForSendingStatus: status === 'SUCCESS',
      ...(isNew ? {} : { VerificationStatus: status }),
      DkimAttributes: { SigningEnabled: true, Status: status, SigningAttributesOrigin: 'AWS_SES', Tokens },
    });
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
      const [type = '', message] = name.split(':');
      return problem(type, message);
    },
    throttle: () =>
      problem('TooManyRequestsException', 'Maximum sending rate exceeded', {
        'retry-after': String(THROTTLED_SECONDS),
      }),
    serverError: () => aws(500, { message: 'try again' }, { 'x-amzn-errortype': 'InternalServiceErrorException' }),
    other: (request) => {
      if (request.path.startsWith(IDENTITIES)) return identity(request);
      return request.method === 'DELETE' && request.path.startsWith(SUPPRESSION_PATH)
        ? takeOff(request)
        : sns.answer(request);
    },
  });
  const event = (message: AcceptedMessage, eventType: string, own: object = {}) =>
    sns.notification(sesEventOf(message, eventType, own));
  return Object.assign(sns, {
    provider: 'amazon_ses' as const,
    ...server,
    close: async () => {
      dns.close();
      await server.close();
    },
    settings: {
      ...AWS_ACCESS,
      configurationSetName: 'email',
      topicArns: [TOPIC],
      baseUrl: server.baseUrl,
      snsBaseUrl: server.baseUrl,
      dnsServers: [dns.server],
    },
    messages,
    suppressed,
    identities,
    texts,
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
