import type { Id } from '../domain/core/ids.ts';
import type { WorkItem } from '../queues/queues.ts';
import { digest, type IdOrEmpty, newestIn, numbered, type Org } from './key-parts.ts';
import { DELIVERY_SHARDS, dueShards, shardOf } from './table-indexes.ts';

/** Open and done activities are separate: done ones accumulate, open ones don't. */
export type ActivityState = 'done' | 'open';

/* The index entries of the key table; row keys are in access-patterns.ts. */

/** Index entries: attributes to spread into the row that they index. */
export const INDEX_KEYS = {
  /** An organization's API keys. */
  keysOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'apiKey'>) =>
    newestIn('gsi1', `KEYS#${organizationId}`, createdAt, id),
  /** An organization's accounts. */
  accountsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'account'>) =>
    newestIn('gsi1', `ACCS#${organizationId}`, createdAt, id),
  /** A person's open sessions. */
  sessionsOf: (accountId: Id<'account'>, createdAt: string, id: IdOrEmpty<'session'>) =>
    newestIn('gsi1', `SESS#${accountId}`, createdAt, id),
  /** All organizations of the stage, for the operator. */
  organizations: (createdAt: string, id: IdOrEmpty<'organization'>) => newestIn('gsi1', 'ORGS', createdAt, id),
  /** An organization's contacts. */
  contactsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'contact'>) =>
    newestIn('gsi1', `CNTS#${organizationId}`, createdAt, id),
  /** The contacts of an organization that have an e-mail address (blind index). */
  contactsOfEmail: (organizationId: Org, emailHash: string, createdAt: string, id: IdOrEmpty<'contact'>) =>
    newestIn('gsi4', `CNTS#email#${organizationId}#${emailHash}`, createdAt, id),
  /** The e-mail addresses (blind index) of an organization that are suppressed, by until when (ISO time). */
  suppressedEmails: (organizationId: Org, until: string, emailHash: string) =>
    newestIn('gsi1', `EMAILS#suppressed#${organizationId}`, until, emailHash),
  /** Those that unsubscribed themselves, by when. */
  unsubscribedEmails: (organizationId: Org, at: string, emailHash: string) =>
    newestIn('gsi3', `EMAILS#denied#${organizationId}`, at, emailHash),
  /** A company's contacts, by their last interaction (ISO time, empty for none). */
  contactsOfCompany: (companyId: Id<'company'>, lastInteractionAt: string, id: IdOrEmpty<'contact'>) =>
    newestIn('gsi3', `CNTS#emp#${companyId}`, lastInteractionAt, id),
  /** An organization's companies, by their names without case and accents. */
  companiesOf: (organizationId: Org, foldedName: string, id: IdOrEmpty<'company'>) =>
    newestIn('gsi1', `EMPS#${organizationId}`, foldedName, id),
  /** The companies that have a contact as their main one. */
  companiesOfContact: (contactId: Id<'contact'>, createdAt: string, id: IdOrEmpty<'company'>) =>
    newestIn('gsi2', `EMPS#${contactId}`, createdAt, id),
  /** An organization's pipelines, archived ones included. */
  pipelinesOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'pipeline'>) =>
    newestIn('gsi1', `PIPS#${organizationId}`, createdAt, id),
  /** A pipeline's cards. */
  cardsOf: (pipelineId: Id<'pipeline'>, createdAt: string, id: IdOrEmpty<'card'>) =>
    newestIn('gsi1', `CRDS#${pipelineId}`, createdAt, id),
  /** A contact's cards. */
  cardsOfContact: (contactId: Id<'contact'>, createdAt: string, id: IdOrEmpty<'card'>) =>
    newestIn('gsi2', `CRDS#${contactId}`, createdAt, id),
  /** A company's cards. */
  cardsOfCompany: (companyId: Id<'company'>, createdAt: string, id: IdOrEmpty<'card'>) =>
    newestIn('gsi3', `CRDS#${companyId}`, createdAt, id),
  /** The cards that an account is responsible for. */
  cardsOfAccount: (accountId: Id<'account'>, createdAt: string, id: IdOrEmpty<'card'>) =>
    newestIn('gsi4', `CRDS#${accountId}`, createdAt, id),
  /** An organization's activities, open or done, by when they are due. */
  activitiesOf: (organizationId: Org, state: ActivityState, dueAt: string, id: IdOrEmpty<'activity'>) =>
    newestIn('gsi1', `ATVS#${organizationId}#${state}`, dueAt, id),
  /** A contact's activities, open or done, by when they are due. */
  activitiesOfContact: (contactId: Id<'contact'>, state: ActivityState, dueAt: string, id: IdOrEmpty<'activity'>) =>
    newestIn('gsi2', `ATVS#${contactId}#${state}`, dueAt, id),
  /** A card's activities, open or done, by when they are due. */
  activitiesOfCard: (cardId: Id<'card'>, state: ActivityState, dueAt: string, id: IdOrEmpty<'activity'>) =>
    newestIn('gsi3', `ATVS#${cardId}#${state}`, dueAt, id),
  /** A company's activities, open or done, by when they are due. */
  activitiesOfCompany: (companyId: Id<'company'>, state: ActivityState, dueAt: string, id: IdOrEmpty<'activity'>) =>
    newestIn('gsi4', `ATVS#${companyId}#${state}`, dueAt, id),
  /** An organization's journeys that are not archived, all versions. */
  journeysOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'journey'>) =>
    newestIn('gsi1', `JORS#${organizationId}`, createdAt, id),
  /** An organization's imports of contacts from files. */
  importJobsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'importJob'>) =>
    newestIn('gsi1', `IMPS#${organizationId}`, createdAt, id),
  /** An organization's exports into files. */
  exportJobsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'exportJob'>) =>
    newestIn('gsi1', `EXPS#${organizationId}`, createdAt, id),
  /** An organization's campaigns. */
  campaignsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'campaign'>) =>
    newestIn('gsi1', `CMPS#${organizationId}`, createdAt, id),
  /** An organization's e-mail templates. */
  emailTemplatesOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'emailTemplate'>) =>
    newestIn('gsi1', `ETPLS#${organizationId}`, createdAt, id),
  /** An organization's WhatsApp numbers. */
  numbersOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'number'>) =>
    newestIn('gsi1', `NUMS#${organizationId}`, createdAt, id),
  /** The numbers of a business account (WABA), of any organization, for Meta's account events. */
  numbersOfAccount: (wabaId: string, createdAt: string, id: IdOrEmpty<'number'>) =>
    newestIn('gsi2', `NUMS#${digest(wabaId)}`, createdAt, id),
  /** An organization's WhatsApp templates. */
  templatesOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'template'>) =>
    newestIn('gsi1', `TPLS#${organizationId}`, createdAt, id),
  /** An organization's WhatsApp flows. */
  flowsOf: (organizationId: Org, createdAt: string, id: IdOrEmpty<'flow'>) =>
    newestIn('gsi1', `FLWS#${organizationId}`, createdAt, id),
  /** An organization's messages of a channel; shard 0 has no number, and all of a quiet organization's. */
  messagesOf: (organizationId: Org, channel: string, createdAt: string, id: IdOrEmpty<'message'>, shard = 0) =>
    newestIn('gsi1', `MSGS#${channel}#${numbered(organizationId, shard)}`, createdAt, id),
  /** A contact's messages of a channel. */
  messagesOfContact: (contactId: Id<'contact'>, channel: string, createdAt: string, id: IdOrEmpty<'message'>) =>
    newestIn('gsi2', `MSGS#${channel}#${contactId}`, createdAt, id),
  /** An organization's inbound messages of a channel; separate, so that a channel's own list holds only sends. */
  inboundOf: (organizationId: Org, channel: string, createdAt: string, id: IdOrEmpty<'message'>) =>
    newestIn('gsi1', `INS#${channel}#${organizationId}`, createdAt, id),
  /** The recipients (blind index) that opted out themselves while they belonged to a contact; the contact's opt-in clears them. */
  optOutsOf: (contactId: Id<'contact'>, at: string, recipientHash: string) =>
    newestIn('gsi2', `OUTS#${contactId}`, at, recipientHash),
  /** A contact's inbound messages of a channel. */
  inboundOfContact: (contactId: Id<'contact'>, channel: string, createdAt: string, id: IdOrEmpty<'message'>) =>
    newestIn('gsi2', `INS#${channel}#${contactId}`, createdAt, id),
  /** A shard of an organization's customer events, by when they happened. */
  customerEventsOf: (organizationId: Org, occurredAt: string, id: IdOrEmpty<'customerEvent'>, shard: number) =>
    newestIn('gsi1', `CEVS#${organizationId}#${shard}`, occurredAt, id),
  /** A contact's customer events, by when they happened. */
  customerEventsOfContact: (contactId: Id<'contact'>, occurredAt: string, id: IdOrEmpty<'customerEvent'>) =>
    newestIn('gsi2', `CEVS#${contactId}`, occurredAt, id),
  /** A shard of an organization's customer events of one name, by when they happened. */
  customerEventsNamed: (
    organizationId: Org,
    name: string,
    occurredAt: string,
    id: IdOrEmpty<'customerEvent'>,
    shard: number,
  ) => newestIn('gsi3', `CEVS#${organizationId}#${digest(name)}#${shard}`, occurredAt, id),
  /** A shard of a journey's runs of a status, by when they began. */
  runsOf: (journeyId: Id<'journey'>, status: string, beganAt: string, id: IdOrEmpty<'run'>, shard: number) =>
    newestIn('gsi1', `RUNS#${journeyId}#${status}#${shard}`, beganAt, id),
  /** A contact's runs, by their journeys; `began`: the version's id, then when it began. */
  runsOfContact: (contactId: Id<'contact'>, began: string, id: IdOrEmpty<'run'>) =>
    newestIn('gsi2', `RUNS#${contactId}`, began, id),
  /** A shard of a journey's parked runs, by when they started. */
  parkedRunsOf: (journeyId: Id<'journey'>, beganAt: string, id: IdOrEmpty<'run'>, shard: number) =>
    newestIn('gsi3', `PARKED#${journeyId}#${shard}`, beganAt, id),
  /** A contact's turns with the organization's own assistant. */
  turnsOfContact: (contactId: Id<'contact'>, createdAt: string, id: IdOrEmpty<'aiTurn'>) =>
    newestIn('gsi2', `AITS#${contactId}`, createdAt, id),
  /** The turns of an assistant about one message. */
  turnsOfMessage: (messageId: Id<'message'>, createdAt: string, id: IdOrEmpty<'aiTurn'>) =>
    newestIn('gsi3', `AITS#${messageId}`, createdAt, id),
  /** Inbound messages of a channel from one author (blind index). */
  inboundFrom: (organizationId: Org, fromHash: string, channel: string, createdAt: string, id: IdOrEmpty<'message'>) =>
    newestIn('gsi4', `INS#${channel}#${organizationId}#${fromHash}`, createdAt, id),
  /** Messages of a channel with a campaign tag; sharded as the organization's are. */
  messagesOfCampaign: (
    organizationId: Org,
    campaignId: string,
    channel: string,
    createdAt: string,
    id: IdOrEmpty<'message'>,
    shard = 0,
  ) => newestIn('gsi3', `MSGS#${channel}#${organizationId}#${numbered(digest(campaignId), shard)}`, createdAt, id),
  /** Messages of a channel to a recipient (blind index). */
  messagesTo: (
    organizationId: Org,
    recipientHash: string,
    channel: string,
    createdAt: string,
    id: IdOrEmpty<'message'>,
  ) => newestIn('gsi4', `MSGS#${channel}#${organizationId}#${recipientHash}`, createdAt, id),
  /** An organization's replies of a channel. */
  repliesOf: (organizationId: Org, channel: string, createdAt: string, id: IdOrEmpty<'reply'>) =>
    newestIn('gsi1', `RPLS#${channel}#${organizationId}`, createdAt, id),
  /** The replies to one message. */
  repliesTo: (messageId: Id<'message'>, createdAt: string, id: IdOrEmpty<'reply'>) =>
    newestIn('gsi2', `RPLS#${messageId}`, createdAt, id),
  /** The push devices of a contact that are not retired, by their last registration. */
  pushTokensOfContact: (contactId: Id<'contact'>, updatedAt: string, id: IdOrEmpty<'pushToken'>) =>
    newestIn('gsi2', `PTOKS#${contactId}`, updatedAt, id),
  /** The push devices, not retired, of a person by the organization's own id of it, by their last registration. */
  pushTokensOfPerson: (organizationId: Org, externalId: string, updatedAt: string, id: IdOrEmpty<'pushToken'>) =>
    newestIn('gsi3', `PTOKS#${organizationId}#${digest(externalId)}`, updatedAt, id),
  /** A shard of a subscription's deliveries, test events included. */
  deliveriesOf: (webhookId: Id<'webhook'>, createdAt: string, id: Id<'delivery'>) =>
    newestIn('gsi2', `DLVS#${webhookId}#${shardOf(id, DELIVERY_SHARDS)}`, createdAt, id),
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
