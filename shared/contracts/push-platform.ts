import * as z from 'zod';
import { PUSH_PLATFORMS } from '../domain/channels/push/transport.ts';

/** A platform on the wire. In a file of its own so that sends do not load the operations of apps and devices. */
export const pushPlatform = z
  .enum(PUSH_PLATFORMS)
  .meta({ description: 'The platform of the device: ios by APNs, android by FCM, web by Web Push.', example: 'ios' });
