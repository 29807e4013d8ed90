import type { SESv2Client, SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import * as z from 'zod';
import type { EmailContent } from '../../domain/email/content.ts';
import type { EmailDispatch, EmailProvider, EmailProviderDeclaration } from '../../domain/email/provider.ts';
import { suppressionOf } from '../../domain/email/suppression.ts';
import type { CallbackReading, ProviderAnswer, ProviderIo, RefusalCause } from '../../domain/messages/provider.ts';
import {
  awsAccessSettings,
  awsFailure,
  hasWholeAccessKey,
  keptClients,
  snsSettings,
  WHOLE_ACCESS_KEY,
} from '../aws.ts';
import { readSns } from '../sns.ts';
import { REFERENCE_TAG, readSesEvent } from './ses-events.ts';

/** What an operator sets for Amazon SES. */
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
        "Another address than the region's own (https://email.<region>.amazonaws.com): a VPC endpoint or a stand-in.",
      ),
    snsBaseUrl: snsSettings.snsBaseUrl,
    timeoutMs: awsAccessSettings.timeoutMs,
  })
  .refine(hasWholeAccessKey, WHOLE_ACCESS_KEY);
export type AmazonSesSettings = z.infer<typeof amazonSesSettings>;

/**
 * SendEmail's exceptions (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html). InternalServiceErrorException is
 * left out: it may strike after the message was taken.
 */
const ERRORS: Readonly<Record<string, RefusalCause>> = {
  AccountSuspendedException: 'credit',
  BadRequestException: 'unavailable',
  // The quota of 24 hours.
  LimitExceededException: 'credit',
  MailFromDomainNotVerifiedException: 'sender',
  MessageRejected: 'content',
  NotFoundException: 'unavailable',
  SendingPausedException: 'unavailable',
  TooManyRequestsException: 'throttled',
};

/** What only the words of an exception tell. They are matched and never passed on: they may repeat the request. */
const WORDS: readonly (readonly [string, RegExp, RefusalCause])[] = [
  ['MessageRejected', /not verified/i, 'sender'],
  // How SES refused an address of its list before it took such e-mails and reported a bounce.
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
  const found = WORDS.find(([name, words]) => name === fault.name && words.test(fault.message.slice(0, 2_000)));
  return found ? { ...ERRORS, [found[0]]: found[2] } : ERRORS;
};

const utf8 = (Data: string | undefined) => (Data === undefined ? undefined : { Data, Charset: 'UTF-8' });

/** One click takes the recipient out, by the header's address (RFC 2369, 3.2, and RFC 8058, 3.1). */
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

const clientOf = keptClients<SESv2Client>();

/** Loads the SDK at the first send, so that a function that never sends does not pay for it at its start. */
const send = async (settings: AmazonSesSettings, io: ProviderIo, dispatch: EmailDispatch): Promise<ProviderAnswer> => {
  const suppressed = await suppressionOf(dispatch);
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

const readCallback = async (settings: AmazonSesSettings, io: ProviderIo, body: string): Promise<CallbackReading> => {
  const { topicArns, snsBaseUrl: baseUrl, timeoutMs } = settings;
  const reading = await readSns(io, { topicArns, baseUrl, timeoutMs }, body);
  if (reading.kind === 'ended') return { kind: 'events', events: [] };
  return reading.kind === 'notification' ? readSesEvent(reading.message, reading.at) : reading;
};

/**
 * Amazon SES, by its API v2. Our reference travels as a tag and comes back in the events of the configuration set. There is no inquiry:
 * GetMessageInsights asks by the id of SES alone, which an ambiguous answer did not give, and only where the Virtual Deliverability
 * Manager is on. An event decides what an answer left open.
 */
export const amazonSes: EmailProviderDeclaration<AmazonSesSettings> = {
  channel: 'email',
  name: 'amazon_ses',
  settings: amazonSesSettings,
  create: (settings, io): EmailProvider => ({
    name: 'amazon_ses',
    send: (dispatch) => send(settings, io, dispatch),
    readCallback: ({ body }) => readCallback(settings, io, body),
  }),
};
