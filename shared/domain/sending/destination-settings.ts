import * as z from 'zod';
import { COUNTRIES } from '../core/countries.ts';

/** Channels that are addressed by phone number, and therefore have destinations. */
export const DESTINATION_CHANNELS = ['sms', 'rcs', 'whatsapp'] as const;
export type DestinationChannel = (typeof DESTINATION_CHANNELS)[number];

const countries = z
  .array(z.string().refine((code) => COUNTRIES.includes(code), 'must be an ISO 3166 alpha-2 code, such as BR'))
  .max(COUNTRIES.length)
  .refine((codes) => new Set(codes).size === codes.length, 'must not name a country twice');

const opened = z.strictObject({
  /** `only`: the listed countries; `all`: every country, whatever `countries` lists. */
  mode: z.enum(['all', 'only']),
  countries: countries.default([]),
});

/**
 * The countries that an organization sends to, by channel; an omitted channel sends everywhere
 * (docs/spec/organization.md#destinations).
 */
export const DestinationsSchema = z.strictObject({
  sms: opened.optional(),
  rcs: opened.optional(),
  whatsapp: opened.optional(),
});
export type Destinations = z.output<typeof DestinationsSchema>;

/** The setting with every channel, as the API returns it. */
export const destinationsView = (destinations: Destinations | undefined) => {
  const of = (channel: DestinationChannel) => destinations?.[channel] ?? { mode: 'all' as const, countries: [] };
  return { sms: of('sms'), rcs: of('rcs'), whatsapp: of('whatsapp') };
};
