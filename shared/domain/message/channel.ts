/**
 * The stored content of each channel. A channel adds its entry from its own folder with `declare module`, so a new
 * channel needs no change here.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by the channels' own folders.
export interface ChannelContents {}

/** The name of a channel on the wire: `sms`, `email`, … */
export type Channel = keyof ChannelContents;

/** Selects the blind index and the opt-out row of a recipient. `platform`: a user id that the channel itself assigns. */
export type RecipientKind = 'phone' | 'email' | 'platform' | 'device';
