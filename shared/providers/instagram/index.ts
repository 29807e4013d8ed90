import { type RegisteredProvider, register } from '../registry.ts';
import { messagingApi, messagingApiSettings } from './messaging-api.ts';

/** The Instagram providers, in their default order. */
export const PROVIDERS: readonly RegisteredProvider[] = [register(messagingApi, messagingApiSettings)];
