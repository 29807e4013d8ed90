import { type RegisteredProvider, register } from '../registry.ts';
import { amazonSes, amazonSesSettings } from './ses.ts';

/** Every provider of e-mail: one line each. */
export const PROVIDERS: readonly RegisteredProvider[] = [register(amazonSes, amazonSesSettings)];
