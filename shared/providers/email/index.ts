import { type RegisteredProvider, register } from '../registry.ts';
import { amazonSes, amazonSesSettings } from './ses.ts';

/** The e-mail providers, in their default order. */
export const PROVIDERS: readonly RegisteredProvider[] = [register(amazonSes, amazonSesSettings)];
