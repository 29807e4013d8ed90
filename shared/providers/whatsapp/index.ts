import { type RegisteredProvider, register } from '../registry.ts';
import { cloudApi, cloudApiSettings } from './cloud-api.ts';

/** The WhatsApp providers, in their default order. */
export const PROVIDERS: readonly RegisteredProvider[] = [register(cloudApi, cloudApiSettings)];
