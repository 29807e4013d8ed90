import type { Tenant } from '../core/actor.ts';
import { asId, type Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { MessageRecord } from '../message/message.ts';
import { type LastSent, lastSentReference } from '../message/recipient.ts';
import { comparedValue } from '../senders/sender.ts';
import type { OwnerPorts } from './callback-ports.ts';

const HOUR_MS = 3_600_000;
/** On a shared sender, an answer belongs to the organization that wrote last within this time. */
export const SHARED_FOR_MS = 72 * HOUR_MS;
/** An opt-out on a shared sender applies to every organization that wrote from it within this time. */
export const OPT_OUT_FOR_MS = 30 * 24 * HOUR_MS;

/** The address that received a message, and the message that it answers, if reported. */
export interface Written {
  readonly channel: Channel;
  readonly from: string;
  /** The receiving account, number or agent; absent if the provider doesn't report it. */
  readonly to?: string | undefined;
  /** The provider's id of the message that it answers, or ours. */
  readonly inReplyTo?: string | undefined;
  /** Unix ms. */
  readonly at: number;
}

/** The owner of an inbound message. */
export interface Owner {
  readonly tenant: Tenant;
  /** The message that it answers. */
  readonly message?: MessageRecord | undefined;
  /** Other organizations that recently wrote to the same person from the same shared sender. */
  readonly others: readonly Tenant[];
}

const tenantOf = ({ organizationId, env }: Tenant): Tenant => ({ organizationId, env });

/** A message that can be answered on the channel: one of that channel, or, for SMS, one of another channel whose fallback SMS was sent. */
const readMessage = async (
  ports: OwnerPorts,
  id: Id<'message'>,
  channel: Channel,
): Promise<MessageRecord | undefined> => {
  const message = await ports.messageStore.read(id);
  return message && (channel === 'sms' || message.channel === channel) ? message : undefined;
};

/** The message that an answer refers to. */
const namedMessage = async (
  ports: OwnerPorts,
  provider: string,
  { channel, inReplyTo }: Written,
): Promise<MessageRecord | undefined> => {
  if (inReplyTo === undefined) return undefined;
  const id = asId('message', inReplyTo) ?? (await ports.correlate(provider, inReplyTo));
  return id && readMessage(ports, id, channel);
};

/** The last messages to a person from the receiving sender, one per organization, newest first. */
const lastMessages = async (
  ports: OwnerPorts,
  provider: string,
  { channel, from, to, at }: Written,
  isOwned: boolean,
): Promise<readonly LastSent[]> => {
  const named = isOwned && to !== undefined && (channel === 'sms' || channel === 'rcs');
  const hash = await ports.globalRecipientHash(from);
  const reference = lastSentReference(channel, hash, named ? comparedValue(channel, to) : undefined);
  const found = await ports.lastSent(provider, reference);
  return found.filter((last) => last.at >= at - OPT_OUT_FOR_MS);
};

/**
 * The organization of an inbound message (docs/spec/inbound.md#whose-it-is): the owner of the receiving sender; for a shared sender the one
 * whose message it answers, or that wrote last within 72 hours. Undefined without an owner, such as for a number that its organization
 * disconnected.
 */
export const ownerOf = async (
  ports: OwnerPorts,
  { provider, isShared }: { readonly provider: string; readonly isShared?: ((to: string) => boolean) | undefined },
  written: Written,
): Promise<Owner | undefined> => {
  const { channel, to, at } = written;
  const owners = to === undefined ? [] : await ports.ownersOf(channel, to);
  if (owners.length === 0 && to !== undefined && isShared?.(to) === false) return undefined;
  const [named, last] = await Promise.all([
    namedMessage(ports, provider, written),
    lastMessages(ports, provider, written, owners.length > 0),
  ]);
  const [sole] = owners.length === 1 ? owners : [];
  const isCandidate = ({ organizationId }: Pick<Tenant, 'organizationId'>) =>
    owners.length === 0 || owners.some((owner) => owner.organizationId === organizationId);
  const recent = last.find((each) => isCandidate(each) && (sole !== undefined || each.at >= at - SHARED_FOR_MS));
  const message = named && isCandidate(named) ? named : recent && (await readMessage(ports, recent.messageId, channel));
  const tenant = sole ?? message;
  if (!tenant) return undefined;
  const others = sole ? [] : last.filter((each) => isCandidate(each) && each.organizationId !== tenant.organizationId);
  return {
    tenant: tenantOf(tenant),
    message,
    others: others.map(({ organizationId }) => ({ organizationId, env: tenant.env })),
  };
};
