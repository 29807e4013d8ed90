import type { Id } from '../domain/core/ids.ts';
import type { WorkItem } from '../queues/queues.ts';
import { digest, type IdOrEmpty, newestKey, numbered, type Org } from './key-parts.ts';
import { DELIVERY_SHARDS, dueShards, shardOf } from './table-indexes.ts';

/* The index entries of the key table: its other half is access-patterns.ts. */

/** Index entries: attributes to spread into the row that they index. */
export const INDEX_KEYS = {
  /** An organization's API keys. */
  keysOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'apiKey'>) => ({
    gsi1pk: `KEYS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's accounts. */
  accountsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'account'>) => ({
    gsi1pk: `ACCS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** A person's open sessions. */
  sessionsOf: (accountId: Id<'account'>, createdAt: string, id: IdOrEmpty<'session'>) => ({
    gsi1pk: `SESS#${accountId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** All organizations of the stage, for the operator. */
  organizations: (createdAt: string, id: IdOrEmpty<'organization'>) => ({
    gsi1pk: 'ORGS',
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's contacts. */
  contactsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'contact'>) => ({
    gsi1pk: `CNTS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** The contacts of an organization that have an e-mail address (blind index). */
  contactsOfEmail: (organizationId: Org, emailHash: string, createdAt: string, id: IdOrEmpty<'contact'>) => ({
    gsi4pk: `CNTS#email#${organizationId}#${emailHash}`,
    gsi4sk: newestKey(createdAt, id),
  }),
  /** A company's contacts, by their last interaction (ISO time, empty for none). */
  contactsOfCompany: (companyId: Id<'company'>, lastInteractionAt: string, id: IdOrEmpty<'contact'>) => ({
    gsi3pk: `CNTS#emp#${companyId}`,
    gsi3sk: newestKey(lastInteractionAt, id),
  }),
  /** An organization's companies, by their names without case and accents. */
  companiesOf: (organizationId: Org, foldedName: string, id: IdOrEmpty<'company'>) => ({
    gsi1pk: `EMPS#${organizationId}`,
    gsi1sk: newestKey(foldedName, id),
  }),
  /** The companies that have a contact as their main one. */
  companiesOfContact: (contactId: Id<'contact'>, createdAt: string, id: IdOrEmpty<'company'>) => ({
    gsi2pk: `EMPS#${contactId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** An organization's pipelines, archived ones included. */
  pipelinesOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'pipeline'>) => ({
    gsi1pk: `PIPS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** A pipeline's cards. */
  cardsOf: (pipelineId: Id<'pipeline'>, createdAt: string, id: IdOrEmpty<'card'>) => ({
    gsi1pk: `CRDS#${pipelineId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** A contact's cards. */
  cardsOfContact: (contactId: Id<'contact'>, createdAt: string, id: IdOrEmpty<'card'>) => ({
    gsi2pk: `CRDS#${contactId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** A company's cards. */
  cardsOfCompany: (companyId: Id<'company'>, createdAt: string, id: IdOrEmpty<'card'>) => ({
    gsi3pk: `CRDS#${companyId}`,
    gsi3sk: newestKey(createdAt, id),
  }),
  /** An organization's activities, by when they are due. */
  activitiesOf: (organizationId: Org, dueAt: string, id: IdOrEmpty<'activity'>) => ({
    gsi1pk: `ATVS#${organizationId}`,
    gsi1sk: newestKey(dueAt, id),
  }),
  /** A contact's activities, by when they are due. */
  activitiesOfContact: (contactId: Id<'contact'>, dueAt: string, id: IdOrEmpty<'activity'>) => ({
    gsi2pk: `ATVS#${contactId}`,
    gsi2sk: newestKey(dueAt, id),
  }),
  /** A card's activities, by when they are due. */
  activitiesOfCard: (cardId: Id<'card'>, dueAt: string, id: IdOrEmpty<'activity'>) => ({
    gsi3pk: `ATVS#${cardId}`,
    gsi3sk: newestKey(dueAt, id),
  }),
  /** A company's activities, by when they are due. */
  activitiesOfCompany: (companyId: Id<'company'>, dueAt: string, id: IdOrEmpty<'activity'>) => ({
    gsi4pk: `ATVS#${companyId}`,
    gsi4sk: newestKey(dueAt, id),
  }),
  /** An organization's imports of contacts from files. */
  importJobsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'importJob'>) => ({
    gsi1pk: `IMPS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's e-mail templates. */
  emailTemplatesOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'emailTemplate'>) => ({
    gsi1pk: `ETPLS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's WhatsApp numbers. */
  numbersOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'number'>) => ({
    gsi1pk: `NUMS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** The numbers of a business account (WABA), of any organization, for Meta's account events. */
  numbersOfAccount: (wabaId: string, createdAt: string, id: IdOrEmpty<'number'>) => ({
    gsi2pk: `NUMS#${digest(wabaId)}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** An organization's WhatsApp templates. */
  templatesOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'template'>) => ({
    gsi1pk: `TPLS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's WhatsApp flows. */
  flowsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'flow'>) => ({
    gsi1pk: `FLWS#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** An organization's messages of a channel; shard 0 has no number, and all of a quiet organization's. */
  messagesOf: (organizationId: Org, channel: string, createdAt: string, id: IdOrEmpty<'message'>, shard = 0) => ({
    gsi1pk: `MSGS#${channel}#${numbered(organizationId, shard)}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** A contact's messages of a channel. */
  messagesOfContact: (contactId: Id<'contact'>, channel: string, createdAt: string, id: IdOrEmpty<'message'>) => ({
    gsi2pk: `MSGS#${channel}#${contactId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** An organization's inbound messages of a channel; separate, so that a channel's own list holds only sends. */
  inboundOf: (organizationId: Org, channel: string, createdAt: string, id: IdOrEmpty<'message'>) => ({
    gsi1pk: `INS#${channel}#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** The recipients (blind index) that opted out themselves while they belonged to a contact; the contact's opt-in clears them. */
  optOutsOf: (contactId: Id<'contact'>, at: string, recipientHash: string) => ({
    gsi2pk: `OUTS#${contactId}`,
    gsi2sk: newestKey(at, recipientHash),
  }),
  /** A contact's inbound messages of a channel. */
  inboundOfContact: (contactId: Id<'contact'>, channel: string, createdAt: string, id: IdOrEmpty<'message'>) => ({
    gsi2pk: `INS#${channel}#${contactId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** A shard of an organization's customer events, by when they happened. */
  customerEventsOf: (organizationId: Org, occurredAt: string, id: IdOrEmpty<'customerEvent'>, shard: number) => ({
    gsi1pk: `CEVS#${organizationId}#${shard}`,
    gsi1sk: newestKey(occurredAt, id),
  }),
  /** A contact's customer events, by when they happened. */
  customerEventsOfContact: (contactId: Id<'contact'>, occurredAt: string, id: IdOrEmpty<'customerEvent'>) => ({
    gsi2pk: `CEVS#${contactId}`,
    gsi2sk: newestKey(occurredAt, id),
  }),
  /** A shard of an organization's customer events of one name, by when they happened. */
  customerEventsNamed: (
    organizationId: Org,
    name: string,
    occurredAt: string,
    id: IdOrEmpty<'customerEvent'>,
    shard: number,
  ) => ({
    gsi3pk: `CEVS#${organizationId}#${digest(name)}#${shard}`,
    gsi3sk: newestKey(occurredAt, id),
  }),
  /** A contact's turns with the organization's own assistant. */
  turnsOfContact: (contactId: Id<'contact'>, createdAt: string, id: IdOrEmpty<'aiTurn'>) => ({
    gsi2pk: `AITS#${contactId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** The turns of an assistant about one message. */
  turnsOfMessage: (messageId: Id<'message'>, createdAt: string, id: IdOrEmpty<'aiTurn'>) => ({
    gsi3pk: `AITS#${messageId}`,
    gsi3sk: newestKey(createdAt, id),
  }),
  /** Inbound messages of a channel from one author (blind index). */
  inboundFrom: (
    organizationId: Org,
    fromHash: string,
    channel: string,
    createdAt: string,
    id: IdOrEmpty<'message'>,
  ) => ({
    gsi4pk: `INS#${channel}#${organizationId}#${fromHash}`,
    gsi4sk: newestKey(createdAt, id),
  }),
  /** Messages of a channel with a campaign tag; sharded as the organization's are. */
  messagesOfCampaign: (
    organizationId: Org,
    campaignId: string,
    channel: string,
    createdAt: string,
    id: IdOrEmpty<'message'>,
    shard = 0,
  ) => ({
    gsi3pk: `MSGS#${channel}#${organizationId}#${numbered(digest(campaignId), shard)}`,
    gsi3sk: newestKey(createdAt, id),
  }),
  /** Messages of a channel to a recipient (blind index). */
  messagesTo: (
    organizationId: Org,
    recipientHash: string,
    channel: string,
    createdAt: string,
    id: IdOrEmpty<'message'>,
  ) => ({
    gsi4pk: `MSGS#${channel}#${organizationId}#${recipientHash}`,
    gsi4sk: newestKey(createdAt, id),
  }),
  /** An organization's replies of a channel. */
  repliesOf: (organizationId: Org, channel: string, createdAt: string, id: IdOrEmpty<'reply'>) => ({
    gsi1pk: `RPLS#${channel}#${organizationId}`,
    gsi1sk: newestKey(createdAt, id),
  }),
  /** The replies to one message. */
  repliesTo: (messageId: Id<'message'>, createdAt: string, id: IdOrEmpty<'reply'>) => ({
    gsi2pk: `RPLS#${messageId}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** The push devices of a contact that are not retired, by their last registration. */
  pushTokensOfContact: (contactId: Id<'contact'>, updatedAt: string, id: IdOrEmpty<'pushToken'>) => ({
    gsi2pk: `PTOKS#${contactId}`,
    gsi2sk: newestKey(updatedAt, id),
  }),
  /** The push devices, not retired, of a person by the organization's own id of it, by their last registration. */
  pushTokensOfPerson: (organizationId: Org, externalId: string, updatedAt: string, id: IdOrEmpty<'pushToken'>) => ({
    gsi3pk: `PTOKS#${organizationId}#${digest(externalId)}`,
    gsi3sk: newestKey(updatedAt, id),
  }),
  /** A shard of a subscription's deliveries, test events included. */
  deliveriesOf: (webhookId: Id<'webhook'>, createdAt: string, id: Id<'delivery'>) => ({
    gsi2pk: `DLVS#${webhookId}#${shardOf(id, DELIVERY_SHARDS)}`,
    gsi2sk: newestKey(createdAt, id),
  }),
  /** A shard of a subscription's backlog: deliveries that wait for its endpoint, by the time from which they may be tried (ms). */
  backlogOf: (webhookId: Id<'webhook'>, id: Id<'delivery'>, since: number) => ({
    duePk: `BACKLOG#${webhookId}#${shardOf(id, DELIVERY_SHARDS)}`,
    dueAt: since,
  }),
  /** Work items of a kind, by the time they are due (ms). */
  due: (kind: WorkItem['kind'], id: string, at: number) => ({
    duePk: `DUE#${kind}#${shardOf(id, dueShards(kind))}`,
    dueAt: at,
  }),
  /** Work items of a kind that failed each time and are set aside for the operator, by when that was (ms). */
  setAside: (kind: WorkItem['kind'], at: number) => ({ duePk: `ASIDE#${kind}`, dueAt: at }),
} as const;
