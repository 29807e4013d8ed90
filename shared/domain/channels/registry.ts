import type { Channel } from '../message/channel.ts';
import type { ChannelDefinition } from '../message/define-channel.ts';
import { email } from './email/channel.ts';
import { instagram } from './instagram/channel.ts';
import { push } from './push/channel.ts';
import { rcs } from './rcs/channel.ts';
import { sms } from './sms/channel.ts';
import { whatsapp } from './whatsapp/channel.ts';

/** All channels, in the order in which the contract lists them. */
const DEFINITIONS = [whatsapp, email, sms, rcs, push, instagram] as const;

/** Puts a planner's ports into a contravariant position, so that inferring over all channels gives their intersection. */
type PortsConsumer<D> = D extends { planning(): Promise<{ plan: (ports: infer P, ...rest: never[]) => unknown }> }
  ? (ports: P) => void
  : never;

/** The ports that the planners of all channels need together. */
export type PlanPorts = PortsConsumer<(typeof DEFINITIONS)[number]> extends (ports: infer P) => void ? P : never;
/** A channel as the common pipeline sees it. */
export type AnyChannel = ChannelDefinition<Channel, PlanPorts>;

const BY_NAME = new Map<string, AnyChannel>(
  DEFINITIONS.map((definition) => [definition.channel, definition as AnyChannel]),
);

export const CHANNELS = DEFINITIONS.map(({ channel }) => channel) as unknown as readonly [Channel, ...Channel[]];

/** Looks up a channel's definition. Throws a TypeError for an unknown name. */
export const channelOf = (channel: Channel): AnyChannel => {
  const found = BY_NAME.get(channel);
  if (!found) throw new TypeError(`There is no channel ${channel}.`);
  return found;
};

/** A text as its recipient sees it, with the channel's character replacements. */
export const writtenText = <T extends string | undefined>(channel: Channel, text: T): string | T =>
  text === undefined ? text : (channelOf(channel).writtenText?.(text) ?? text);

/** The channel that a provider reports on at a callback URL of this kind; undefined if there is none. */
export const channelOfCallback = (provider: string, kind: string): Channel | undefined =>
  DEFINITIONS.find(
    ({ providers, callbackKinds }) =>
      callbackKinds.some((each) => each === kind) && providers.some((name) => name === provider),
  )?.channel;

/** The API names of all providers, deduplicated. */
export const PROVIDER_NAMES = [...new Set<string>(DEFINITIONS.flatMap(({ providers }) => providers))];
