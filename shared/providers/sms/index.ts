import { type RegisteredProvider, register } from '../registry.ts';
import { awsEndUserMessaging, awsEndUserMessagingSettings } from './aws-end-user-messaging.ts';
import { infobip, infobipSettings } from './infobip.ts';
import { smppCarrier, smppCarrierSettings } from './smpp-carrier.ts';
import { twilio, twilioSettings } from './twilio.ts';

/** The SMS providers, in their default order. */
export const PROVIDERS: readonly RegisteredProvider[] = [
  register(awsEndUserMessaging, awsEndUserMessagingSettings),
  register(twilio, twilioSettings),
  register(infobip, infobipSettings),
  register(smppCarrier, smppCarrierSettings),
];
