import type { SESv2Client, SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import * as z from 'zod';
import type { EmailContent } from '../../domain/channels/email/content.ts';
import type { EmailDispatch, EmailProvider, EmailProviderDeclaration } from '../../domain/channels/email/provider.ts';
import { refusalBeforeDispatch } from '../../domain/channels/email/suppression.ts';
import { parseMailbox } from '../../domain/core/email-address.ts';
import type { CallbackReading, ProviderAnswer, ProviderIo, RefusalCause } from '../../domain/message/provider-port.ts';
import {
  awsAccessSettings,
  awsFailure,
  clientCache,
  hasCompleteAccessKey,
  INCOMPLETE_ACCESS_KEY,
  type SnsReceiverSettings,
  snsReceiverSettings,
  snsSettings,
} from '../aws.ts';
import { callbacksWith } from '../registry.ts';
import { readSns } from '../sns.ts';
import { REFERENCE_TAG, readSesEvent } from './ses-events.ts';

/** Operator settings of Amazon SES. */
export const amazonSesSettings = z
  .strictObject({
    region: awsAccessSettings.region.describe(
      'The AWS region that holds the verified identities, for example sa-east-1.',
    ),
    configurationSetName: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('The configuration set whose event destination publishes to an SNS topic.'),
    topicArns: snsSettings.topicArns.describe('The SNS topics of the events. No other topic is listened to.'),
    accessKeyId: awsAccessSettings.accessKeyId,
    secretAccessKey: awsAccessSettings.secretAccessKey,
    baseUrl: z
      .url()
      .optional()
      .describe(
        "An address to use instead of the region's own (https://email.<region>.amazonaws.com): a VPC endpoint or a stand-in.",
      ),
    serviceFrom: z
      .string()
      .refine((text) => parseMailbox(text) !== undefined, 'must be an e-mail address, or a name and an address')
      .optional()
      .describe(
        "The verified sender of the service's own e-mails, such as links to sign in. Without it none of them is sent.",
      ),
    snsBaseUrl: snsSettings.snsBaseUrl,
    dnsServers: z
      .array(z.string().regex(/^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\])(?::\d{1,5})?$/i))
      .min(1)
      .optional()
      .describe(
        "Other name servers than the system's to look for the records of registered domains at, each an IP address.",
      ),
    timeoutMs: awsAccessSettings.timeoutMs,
  })
  .refine(hasCompleteAccessKey, INCOMPLETE_ACCESS_KEY);
export type AmazonSesSettings = z.infer<typeof amazonSesSettings>;

/**
 * Exceptions of SendEmail (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html). InternalServiceErrorException is
 * left out: SES may have accepted the message.
 */
const ERRORS: Readonly<Record<string, RefusalCause>> = {
  AccountSuspendedException: 'credit',
  BadRequestException: 'unavailable',
  // The 24-hour sending quota.
  LimitExceededException: 'credit',
  MailFromDomainNotVerifiedException: 'sender',
  MessageRejected: 'content',
  NotFoundException: 'unavailable',
  SendingPausedException: 'unavailable',
  TooManyRequestsException: 'throttled',
};

/** Causes that only an exception's message reveals. It is matched but never logged: it may contain request data. */
const MESSAGE_PATTERNS: readonly (readonly [string, RegExp, RefusalCause])[] = [
  ['MessageRejected', /not verified/i, 'sender'],
  // How SES refused suppressed addresses before it began to accept such e-mails and report a bounce.
  ['MessageRejected', /address blacklisted|suppression list/i, 'blacklisted'],
  ['TooManyRequestsException', /daily/i, 'credit'],
  [
    'BadRequestException',
    /illegal address|missing final|local address|domain (?:contains|starts|ends|name)/i,
    'recipient',
  ],
  ['BadRequestException', /message (?:length|size)|too long|too large/i, 'content'],
];

const errorsFor = (fault: unknown): Readonly<Record<string, RefusalCause>> => {
  if (!(fault instanceof Error)) return ERRORS;
  const found = MESSAGE_PATTERNS.find(
    ([name, pattern]) => name === fault.name && pattern.test(fault.message.slice(0, 2_000)),
  );
  return found ? { ...ERRORS, [found[0]]: found[2] } : ERRORS;
};

const utf8 = (Data: string | undefined) => (Data === undefined ? undefined : { Data, Charset: 'UTF-8' });

/** One-click unsubscribe (RFC 2369, 3.2; RFC 8058, 3.1). */
const unsubscribeHeaders = (url: string) => [
  { Name: 'List-Unsubscribe', Value: `<${url}>` },
  { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
];

const inputOf = (
  { configurationSetName }: AmazonSesSettings,
  { messageId, to, content }: EmailDispatch,
): SendEmailCommandInput => {
  const { from, subject, html, text, unsubscribeUrl }: EmailContent = content;
  return {
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: { Data: subject, Charset: 'UTF-8' },
        Body: { Html: utf8(html), Text: utf8(text) },
        ...(unsubscribeUrl === undefined ? {} : { Headers: unsubscribeHeaders(unsubscribeUrl) }),
      },
    },
    ConfigurationSetName: configurationSetName,
    EmailTags: [{ Name: REFERENCE_TAG, Value: messageId }],
  };
};

const clientOf = clientCache<SESv2Client>();

/** The SDK is loaded on first use, so that functions that never send start faster. */
const send = async (settings: AmazonSesSettings, io: ProviderIo, dispatch: EmailDispatch): Promise<ProviderAnswer> => {
  const suppressed = await refusalBeforeDispatch(dispatch);
  if (suppressed) return suppressed;
  try {
    const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2');
    const client = clientOf(settings, (config) => new SESv2Client(config));
    const answer = await client.send(new SendEmailCommand(inputOf(settings, dispatch)), {
      abortSignal: AbortSignal.timeout(settings.timeoutMs),
    });
    if (!answer.MessageId) return { kind: 'unknown', detail: 'aws: an answer without a message id' };
    return { kind: 'accepted', providerMessageId: answer.MessageId };
  } catch (fault) {
    return awsFailure(fault, io.now(), { errors: errorsFor(fault) });
  }
};

const readCallback = async (settings: SnsReceiverSettings, io: ProviderIo, body: string): Promise<CallbackReading> => {
  const { topicArns, snsBaseUrl: baseUrl, timeoutMs } = settings;
  const reading = await readSns(io, { topicArns, baseUrl, timeoutMs }, body);
  if (reading.kind === 'unsubscribed') return { kind: 'events', events: [] };
  return reading.kind === 'notification' ? readSesEvent(reading.message, reading.at) : reading;
};

/**
 * Amazon SES, API v2. Our message id travels as a tag and comes back in the events of the configuration set. There is no `queryStatus`:
 * GetMessageInsights looks up by SES's own message id, which an uncertain send did not return, and only with Virtual Deliverability Manager
 * enabled. Only an event resolves an uncertain send.
 */
export const amazonSes: EmailProviderDeclaration<AmazonSesSettings> = {
  channel: 'email',
  name: 'amazon_ses',
  settings: amazonSesSettings,
  create: (settings, io): EmailProvider => ({
    name: 'amazon_ses',
    send: (dispatch) => send(settings, io, dispatch),
  }),
  callbacks: callbacksWith(snsReceiverSettings, (settings, io) => ({
    readCallback: ({ body }) => readCallback(settings, io, body),
  })),
};
