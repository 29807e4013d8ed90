import { fromLocal } from '../../app/local-time.ts';
import type { V1Send } from '../../sdk.ts';

export const CHANNELS = ['whatsapp', 'sms', 'rcs', 'email', 'push', 'instagram'] as const satisfies readonly Channel[];
export type Channel = V1Send['channel'];
export const MAX_FALLBACKS = 5;
const PHONES = new Set<Channel>(['whatsapp', 'sms', 'rcs']);

/** Whether a channel reaches people by their phone. */
export const takesPhone = (channel: Channel): boolean => PHONES.has(channel);

/** The content of a hop: a text, a template, or, for a fallback, the content of the message. */
export type Content = 'same' | 'text' | 'template';
export const UNITS = ['s', 'm', 'h'] as const;

/** The message, or one of its fallbacks, as one types it. */
export interface Hop {
  /** Identifies hops while they are moved. */
  readonly key: string;
  readonly channel: Channel;
  readonly to: string;
  readonly content: Content;
  readonly text: string;
  readonly template: string;
  /** How long a fallback waits for the hop before: empty, as long as the service does. */
  readonly after: string;
  readonly unit: (typeof UNITS)[number];
}

/** A message on its way to be sent. */
export interface Draft {
  /** The message, then its fallbacks. */
  readonly hops: readonly [Hop, ...Hop[]];
  readonly contactId: string;
  /** Values of the templates' variables, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** As `datetime-local` has it; empty: now. */
  readonly scheduledAt: string;
  readonly campaignId: string;
  readonly priority: NonNullable<V1Send['priority']>;
  readonly maxCoins: string;
}

export const newHop = (channel: Channel, content: Content): Hop => ({
  key: crypto.randomUUID(),
  channel,
  to: '',
  content,
  text: '',
  template: '',
  after: '',
  unit: 'm',
});

const isChannel = (name: string | undefined): name is Channel => CHANNELS.some((channel) => channel === name);

/** The initial draft: a link to the page may name the channel, the recipient and the contact. */
export const startDraft = ({ channel, to = '', contactId = '' }: Readonly<Record<string, string>>): Draft => ({
  hops: [{ ...newHop(isChannel(channel) ? channel : 'whatsapp', 'text'), to }],
  contactId,
  variables: {},
  scheduledAt: '',
  campaignId: '',
  priority: 'normal',
  maxCoins: '',
});

/** A phone as people write it, without what it is written with. */
const recipientOf = ({ channel, to }: Hop): string => (takesPhone(channel) ? to.replace(/[\s().-]/g, '') : to.trim());

const contentOf = ({ content, text, template }: Hop) => {
  if (content === 'text') return { text };
  return content === 'template' ? { template } : {};
};

const fallbackOf = (hop: Hop) => ({
  channel: hop.channel,
  ...(recipientOf(hop) === '' ? {} : { to: recipientOf(hop) }),
  ...contentOf(hop),
  ...(hop.after === '' ? {} : { after: `${hop.after}${hop.unit}` }),
});

/** The values of variables that are set, of those that the templates have. */
const variablesOf = (variables: Draft['variables'], names: readonly string[]) => {
  const set = names.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : []));
  return set.length > 0 ? { variables: Object.fromEntries(set) } : {};
};

/** The body of the send. `names`: the variables of the chosen templates. */
export const bodyOf = (draft: Draft, names: readonly string[]): V1Send => {
  const [message, ...fallbacks] = draft.hops;
  const scheduledAt = fromLocal(draft.scheduledAt);
  return {
    channel: message.channel,
    to: recipientOf(message),
    ...contentOf(message),
    ...variablesOf(draft.variables, names),
    ...(fallbacks.length > 0 ? { fallback: fallbacks.map(fallbackOf) } : {}),
    ...(draft.contactId === '' ? {} : { contactId: draft.contactId }),
    ...(scheduledAt === undefined ? {} : { scheduledAt }),
    ...(draft.campaignId.trim() === '' ? {} : { campaignId: draft.campaignId.trim() }),
    ...(draft.priority === 'normal' ? {} : { priority: draft.priority }),
    ...(draft.maxCoins === '' ? {} : { maxCoins: Number(draft.maxCoins) }),
  };
};

const saysSomething = ({ content, text, template }: Hop): boolean =>
  content === 'same' || (content === 'text' ? text.trim() !== '' : template !== '');

/** Whether there is enough of it to ask what would become of it. */
export const isComplete = ({ hops }: Draft): boolean => recipientOf(hops[0]) !== '' && hops.every(saysSomething);

/** The text that a hop says, where it is no template's. */
export const textOfHop = ({ hops }: Draft, at: number): string | undefined => {
  const hop = hops[at];
  const source = hop?.content === 'same' ? hops[0] : hop;
  return source?.content === 'text' && source.text !== '' ? source.text : undefined;
};
