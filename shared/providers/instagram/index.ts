import { type RegisteredProvider, register } from '../registry.ts';
import { messagingApi, messagingApiSettings } from './messaging-api.ts';

/** Every provider of Instagram: one line each. */
export const PROVIDERS: readonly RegisteredProvider[] = [register(messagingApi, messagingApiSettings)];
