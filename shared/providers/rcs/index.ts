import { type RegisteredProvider, register } from '../registry.ts';
import { awsEndUserMessagingRcs, awsEndUserMessagingRcsSettings } from './aws-end-user-messaging.ts';
import { infobipRcs, infobipRcsSettings } from './infobip.ts';

/** The RCS providers, in their default order. */
export const PROVIDERS: readonly RegisteredProvider[] = [
  register(awsEndUserMessagingRcs, awsEndUserMessagingRcsSettings),
  register(infobipRcs, infobipRcsSettings),
];
