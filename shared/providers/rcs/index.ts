import { type RegisteredProvider, register } from '../registry.ts';
import { awsEndUserMessagingRcs, awsEndUserMessagingRcsSettings } from './aws-end-user-messaging.ts';
import { infobipRcs, infobipRcsSettings } from './infobip.ts';

/** Every provider of RCS: one line each. */
export const PROVIDERS: readonly RegisteredProvider[] = [
  register(awsEndUserMessagingRcs, awsEndUserMessagingRcsSettings),
  register(infobipRcs, infobipRcsSettings),
];
