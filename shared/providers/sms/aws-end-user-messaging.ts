import * as z from 'zod';
import type { SmsDispatch, SmsProvider, SmsProviderDeclaration } from '../../domain/channels/sms/content.ts';
import type { ProviderAnswer, ProviderIo } from '../../domain/message/provider-port.ts';
import { hasCompleteAccessKey, INCOMPLETE_ACCESS_KEY, snsReceiverSettings } from '../aws.ts';
import { endUserMessagingSettings, readEvent, replyOf, sendOnce, TEXT_EVENTS } from '../aws-end-user-messaging.ts';
import { callbacksWith } from '../registry.ts';
import { textSetting } from '../settings.ts';

const MESSAGE_TYPES = ['TRANSACTIONAL', 'PROMOTIONAL'] as const;

/** Operator settings of AWS End User Messaging SMS. */
export const awsEndUserMessagingSettings = z
  .strictObject({
    ...endUserMessagingSettings,
    originationIdentity: textSetting(
      'The phone number, sender id or pool that sends messages that name no sender; its id or ARN.',
    ),
    messageTypes: z
      .strictObject({
        premium: z.enum(MESSAGE_TYPES).default('PROMOTIONAL'),
        otp: z.enum(MESSAGE_TYPES).default('TRANSACTIONAL'),
      })
      .prefault({})
      .describe('The message type of each route: premium respects opt-outs, otp does not.'),
  })
  .refine(hasCompleteAccessKey, INCOMPLETE_ACCESS_KEY);
export type AwsEndUserMessagingSettings = z.infer<typeof awsEndUserMessagingSettings>;

const send = (
  settings: AwsEndUserMessagingSettings,
  io: ProviderIo,
  { messageId, to, content, route }: SmsDispatch,
): Promise<ProviderAnswer> =>
  sendOnce(settings, io, (sdk, client, options) =>
    client.send(
      new sdk.SendTextMessageCommand({
        DestinationPhoneNumber: to,
        OriginationIdentity: content.senderId ?? settings.originationIdentity,
        MessageBody: content.text,
        MessageType: route === 'otp' ? settings.messageTypes.otp : settings.messageTypes.premium,
        ConfigurationSetName: settings.configurationSetName,
        Context: { messageId },
      }),
      options,
    ),
  );

/**
 * AWS End User Messaging SMS (API name: PinpointSMSVoiceV2). Our message id travels in `Context` and comes back in the events. AWS offers
 * no lookup by it, so there is no `queryStatus`: only an event resolves an uncertain send.
 */
export const awsEndUserMessaging: SmsProviderDeclaration<AwsEndUserMessagingSettings> = {
  channel: 'sms',
  name: 'aws_end_user_messaging',
  settings: awsEndUserMessagingSettings,
  create: (settings, io): SmsProvider => ({
    name: 'aws_end_user_messaging',
    send: (dispatch) => send(settings, io, dispatch),
  }),
  callbacks: callbacksWith(snsReceiverSettings, (settings, io) => ({
    readCallback: ({ body }) =>
      readEvent(settings, io, body, {
        statusUpdateOf: ({ eventType }) => TEXT_EVENTS[eventType],
        inboundEventOf: replyOf,
      }),
  })),
};
