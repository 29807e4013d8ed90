import { type RegisteredProvider, register } from '../registry.ts';
import { cloudApi, cloudApiSettings } from './cloud-api.ts';

/** Every provider of WhatsApp: one line each. */
export const PROVIDERS: readonly RegisteredProvider[] = [register(cloudApi, cloudApiSettings)];
