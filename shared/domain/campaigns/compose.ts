import type { AutomatedRequest } from '../api/automated-send.ts';
import type { BulkEntry } from '../bulk/ports.ts';
import { channelOf } from '../channels/registry.ts';
import type { Contact } from '../contacts/contact.ts';
import { parseDuration } from '../core/duration.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import type { MessageRecord } from '../message/message.ts';
import type { Scope } from '../personalization/fill.ts';
import { isFaults } from '../personalization/message.ts';
import { campaignKey } from '../sending/automated.ts';
import { type Campaign, type CampaignMessage, tagOf, variantChooser, variantsOf } from './campaign.ts';
import { compileTexts } from './campaigns.ts';
import type { PortionPorts } from './ports.ts';

/** The placeholder values of a campaign's texts. */
export const scopeOf = ({ name, phone, email, externalId, attributes }: Contact): Scope => ({
  contact: { name, phone, email, externalId, attributes },
});

/** The message of each variant with its texts compiled. Stored texts are valid. */
const compiledVariants = (campaign: Campaign) =>
  variantsOf(campaign).map(({ message }) => {
    const compiled = compileTexts<CampaignMessage>(message);
    if (isFaults(compiled)) throw new TypeError('the texts of a stored campaign do not compile');
    return { channel: message.channel, fill: compiled.fill };
  });

/** A message as a send request, with waits in ms. */
export const asRequest = ({ fallback, fallback_after: wait, ...message }: CampaignMessage) => ({
  ...message,
  ...(wait === undefined ? {} : { fallback_after: parseDuration(wait) }),
  ...(fallback === undefined
    ? {}
    : {
        fallback: fallback.map((step) => {
          if (typeof step === 'string') return step;
          const { after, ...rest } = step;
          return after === undefined ? rest : { ...rest, after: parseDuration(after) };
        }),
      }),
});

type Address = (contact: Contact, channel: MessageRecord['channel']) => Promise<string | undefined>;
/** A contact's address on a channel: its phone or e-mail address, or its id on the channel. */
export const addressOf =
  (ports: Pick<PortionPorts, 'recipientOf'>, campaign: Campaign): Address =>
  async (contact, channel) => {
    const { recipient } = channelOf(channel);
    if (recipient === 'phone') return contact.phone;
    return recipient === 'email' ? contact.email : ports.recipientOf(campaign, contact, channel);
  };

/** A message that is ready to be sent to a contact. */
export interface Composed {
  readonly number: number;
  readonly body: AutomatedRequest;
  readonly contact: Contact;
}

/** Composes a campaign's messages: fills in the texts of the contact's variant with `valuesOf` the contact. */
export const composer = (ports: Pick<PortionPorts, 'recipientOf'>, campaign: Campaign, valuesOf = scopeOf) => {
  const variants = compiledVariants(campaign);
  const choose = variantChooser(campaign);
  const address = addressOf(ports, campaign);
  return async (number: number, contact: Contact): Promise<Composed | undefined> => {
    const variant = variants[choose(number)];
    const to = variant && (await address(contact, variant.channel));
    if (!variant || to === undefined) return undefined;
    const { message } = variant.fill(valuesOf(contact));
    const body = {
      ...asRequest(message),
      to,
      contactId: contact.id,
      campaignId: tagOf(campaign),
      priority: 'bulk' as const,
    };
    return { number, body, contact };
  };
};

/** Concurrent lookups of addresses that are not in the contact itself. */
const CONCURRENCY = 16;

/** The messages of some contacts; undefined if one has no address on its channel. */
export const composeAll = (
  ports: Pick<PortionPorts, 'recipientOf'>,
  campaign: Campaign,
  contacts: readonly (readonly [number: number, contact: Contact])[],
  valuesOf = scopeOf,
): Promise<(Composed | undefined)[]> => {
  const compose = composer(ports, campaign, valuesOf);
  return mapConcurrently(contacts, CONCURRENCY, ([number, contact]) => compose(number, contact));
};

/** A campaign's message as a batch entry: accepted once per campaign and contact, however often it is tried. */
export const entryOf = (campaign: Campaign, { body, contact }: Composed): BulkEntry => ({
  valid: body,
  automated: {
    key: campaignKey(campaign.id, contact.id),
    labels: { origin: 'automation', campaign: campaign.id },
    frequency: { cap: campaign.frequencyCap },
    merges: contact.mergedContacts?.length ?? 0,
  },
});
