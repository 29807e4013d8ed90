import type { ArchiveId, ArchiveKind } from '../domain/archive/ports.ts';
import type { AuditOwner } from '../domain/audit/entry.ts';
import type { Id } from '../domain/core/ids.ts';
import { AUTOMATION_KEYS } from './automation-patterns.ts';
import { digest, type IdOrEmpty, key, newestKey, numbered, type Org, padded } from './key-parts.ts';
import { SALES_KEYS } from './sales-patterns.ts';
import { CHANGED_SHARDS, PUSH_SHARDS, SMPP_SHARDS, shardOf } from './table-indexes.ts';

/*
 * The key table: the keys of every row of the single table, one function and one sentence each; those of journeys and campaigns in
 * automation-patterns.ts, of companies and pipelines in sales-patterns.ts, of index entries in index-patterns.ts. docs/data-model.md is
 * printed from these and table-indexes.ts.
 */

/** The sort key of a message's own row. */
export const MESSAGE_SORT_KEY = 'MSG';

export const KEYS = {
  /** An organization with its settings. */
  organization: (id: Id<'organization'>) => key(`ORG#${id}`, 'ORG'),
  /** An account: a person of an organization. */
  account: (id: Id<'account'>) => key(`ACC#${id}`, 'ACC'),
  /** The accounts of an address (blind index of the stage), one row an organization: makes it unique there, and finds who signs in. */
  person: (emailHash: string, organizationId: Org | '') => key(`PERSON#${emailHash}`, `ORG#${organizationId}`),
  /** A sign-in link, by the SHA-256 (hex) of its token; deleted by its use. */
  signInLink: (sha256: string) => key(`SIGNIN#${sha256}`, 'SIGNIN'),
  /** A request to mail the sign-in links of an address; deleted once they are mailed. */
  linkRequest: (id: Id<'request'>) => key(`LINKREQ#${id}`, 'LINKREQ'),
  /** A session without its secret, as lists read it. */
  session: (id: Id<'session'>) => key(`SES#${id}`, 'SES'),
  /** An API key. */
  apiKey: (id: Id<'apiKey'>) => key(`KEY#${id}`, 'KEY'),
  /** A credential (API key or session), by the SHA-256 (hex) of its secret. */
  credential: (sha256: string) => key(`CRED#${sha256}`, 'CRED'),
  /** An entry of the audit log of an organization or of the stage: one row per combination of actor, action and object filters. */
  audit: (owner: AuditOwner, matching: string, order: string) => key(`AUDS#${owner}#${digest(matching)}`, order),
  /** A message of any channel; of a push also the counts of its outcome. */
  message: (id: Id<'message'>) => key(`MSG#${id}`, MESSAGE_SORT_KEY),
  /** A bulk send (batch): whether it was accepted, and its totals. */
  batch: (id: Id<'batch'>) => key(`BATCH#${id}`, 'BATCH'),
  /** Messages of a batch that are in none of its chunks: replayed by their idempotency keys, or resent. */
  batchOthers: (id: Id<'batch'>, part: number) => key(`BATCH#${id}`, `OTHERS#${padded(part, 4)}`),
  /** A chunk of a batch: its messages, and the one ledger entry that holds their money (escrow). */
  batchChunk: (batchId: Id<'batch'>, chunk: number) => key(`BATCH#${batchId}#${chunk}`, 'CHUNK'),
  /** A shard of a chunk's escrow: the captured and released coins, and the number of messages per status. */
  escrowShard: (batchId: Id<'batch'>, chunk: number, shard: number) =>
    key(`BATCH#${batchId}#${chunk}`, `LANE#${shard}`),
  /**
   * Content of a queued message that is needed for sending but not kept, such as an e-mail's body; sealed, deleted once the hold is
   * resolved.
   */
  messageBody: (id: Id<'message'>) => key(`MSG#${id}`, 'BODY'),
  /** The fallback of a send: its steps, under the id of the first message. */
  fallback: (firstMessageId: Id<'message'>) => key(`MSG#${firstMessageId}`, 'CHAIN'),
  /** A pending receipt of a message; the fingerprint makes duplicates one row. */
  receipt: (messageId: Id<'message'>, fingerprint: string) => key(`MSG#${messageId}`, `RCPT#${fingerprint}`),
  /** Opens and clicks of a message: time of the first and count of each. Written on the first one. */
  engagement: (messageId: Id<'message'>) => key(`MSG#${messageId}`, 'ENGAGED'),
  /** The idempotency record of a caller's key. */
  idempotency: (organizationId: Org, callerKey: string) => key(`IDEM#${organizationId}#${digest(callerKey)}`, 'IDEM'),
  /** A wallet's available balance. Sorts after its counters and ledger entries, so that one descending query reads all three. */
  wallet: (organizationId: Org) => key(`WALLET#${organizationId}`, 'W'),
  /**
   * A lane of a wallet, from 1: what it may spend, and its part of the wallet's counters. Its captures and ledger entries are in its
   * partition.
   */
  walletLane: (organizationId: Org, lane: number) => key(`WALLET#${numbered(organizationId, lane)}`, 'L'),
  /** A shard of the sum of the captures of a wallet (lane 0) or a lane. */
  captured: (organizationId: Org, lane: number, shard: number) =>
    key(`WALLET#${numbered(organizationId, lane)}`, `S#${shard}`),
  /** A shard of the count of a channel's inbound messages. An organization's are in one partition, so that one query reads them all. */
  inboundCount: (organizationId: Org, channel: string, shard: number) =>
    key(`INS#${organizationId}`, `${channel}#${shard}`),
  /** A shard of the count of an organization's objects of a kind. All kinds of an organization are in one partition; one query reads a kind's. */
  counter: (organizationId: Org, counted: string, shard: number) =>
    key(`COUNTS#${organizationId}`, `${counted}#${shard}`),
  /** A row of the metrics of a channel for twelve hours, by the hour. A busy organization has several, which are summed. */
  metrics: (organizationId: Org, period: string, channel: string, row: number) =>
    key(`METRICS#${organizationId}`, `${period}#${channel}#${row}`),
  /** The checkpoint of a shard of the table's stream: how far the metrics have counted it. */
  metricsShard: (shardId: string) => key(`METRICSHARD#${shardId}`, 'METRICSHARD'),
  /** The number of messages of a list (its index partition) created in an hour or day, by filterable fields, as of when it was settled. */
  listCount: (list: string, kind: string, from: string) => key(`LISTED#${list}`, `${kind}#${from}`),
  /** The progress of counting the rest of a list (its index partition), after an answer left a part of it; one for its counts by batch. */
  listCounting: (list: string, of: string) => key(`LISTED#${list}`, `COUNTING#${of}`),
  /** Marks that a message may have changed after its hour or day was settled; sharded as the organization's list is. */
  lateChange: (
    organizationId: Org,
    channel: string,
    level: string,
    createdAt: string,
    id: IdOrEmpty<'message'>,
    shard = 0,
  ) => key(`LATE#${channel}#${numbered(organizationId, shard)}`, `${level}#${newestKey(createdAt, id)}`),
  /** A ledger entry of a wallet (lane 0) or a lane, or the entries of one transaction; `order` sorts by time. */
  entry: (organizationId: Org, lane: number, order: string) =>
    key(`WALLET#${numbered(organizationId, lane)}`, `E#${order}`),
  /** The progress of a table migration in one of its segments; deleted once all are done. */
  migration: (segment: number) => key('MIGRATION', `SEGMENT#${padded(segment, 4)}`),
  /** A version of the price table, by the time from which it is in force. */
  prices: (effectiveFrom: string) => key('PRICES', effectiveFrom),
  /** The stage's settings of a provider, for sending; sealed. */
  provider: (channel: string, name: string) => key('PROVIDERS', `PROVIDER#${channel}#${name}`),
  /** The part of those that verifies callbacks; sealed under a root key of its own. */
  providerCallbacks: (channel: string, name: string) => key('CALLBACKS', `PROVIDER#${channel}#${name}`),
  /** The operator's choice of providers of a route, for the stage or for one organization. */
  providerRoute: (channel: string, route: string, of: string) => key('SETTINGS', `ROUTE#${channel}#${route}#${of}`),
  /**
   * A deleted company, card or contact that may still be linked to; kept until no links are left. An organization's are in one partition.
   */
  tombstone: (organizationId: Org, id: Id<'company'> | Id<'card'> | Id<'contact'> | '') =>
    key(`GONE#${organizationId}`, id),
  /** A root key of the stage, wrapped by KMS. A partition each, so that roles can be limited to the keys that they need. */
  rootKey: (name: string) => key(`ROOT#${name}`, 'ROOT'),
  /** The circuit breaker of a provider's route: until when it is open. */
  breaker: (channel: string, provider: string, route: string) =>
    key(`BREAKER#${channel}#${provider}#${route}`, 'BREAKER'),
  /** A rate limit (token bucket) of a credential or an organization, or of a mail or IP address (blind index). */
  bucket: (owner: string, bucket: string) => key(`RATE#${owner}#${bucket}`, 'RATE'),
  /** Count of the sends of one second, for the contracted SMS per second. */
  second: (organizationId: Org, channel: string, second: number) =>
    key(`RATE#${organizationId}#${channel}`, `S#${second}`),
  /**
   * A shard of the counts of an organization's SMS to a prefix abroad, sent and delivered. A prefix is one partition, evaluated as a whole.
   */
  destinationCounts: (organizationId: Org, prefix: string, shard: number) =>
    key(`DEST#${organizationId}#${prefix}`, `S#${shard}`),
  /** A prefix abroad that is held: SMS to it are refused. An organization's are in one partition, so that one query reads them all. */
  destinationHold: (organizationId: Org, prefix: string) => key(`HELD#${organizationId}`, `P#${prefix}`),
  /** A contact. */
  contact: (id: Id<'contact'>) => key(`CNT#${id}`, 'CNT'),
  /** A change of a contact's consent, by the version of the contact that it created. */
  consent: (id: Id<'contact'>, version: number) => key(`CNT#${id}`, `CONSENT#${padded(version, 12)}`),
  /** When a contact last entered or left a segment. */
  membership: (id: Id<'contact'>, segmentId: IdOrEmpty<'segment'>) => key(`CNT#${id}`, `SINCE#${segmentId}`),
  /** The number of a contact's sends that count for frequency caps, by hour. */
  sentToContact: (id: Id<'contact'>) => key(`CNT#${id}`, 'SENT'),
  /** The erasure of a deleted contact: the keys that find its data, as blind indexes, and the counts of erased rows. */
  erasure: (id: Id<'contact'>) => key(`CNT#${id}`, 'ERASURE'),
  /**
   * A consent change of a contact that was merged into another, moved there: sorts by its time, after the version that the other had then.
   */
  mergedConsent: (id: Id<'contact'>, version: number, order: string) =>
    key(`CNT#${id}`, `CONSENT#${padded(version, 12)}#${order}`),
  /** A record that a contact was merged into another. */
  merge: (id: Id<'contact'>) => key(`CNT#${id}`, 'MERGED'),
  /** The last assigned contact number of an organization. */
  contactNumbers: (organizationId: Org) => key(`CNOS#${organizationId}`, 'CNOS'),
  /** The contact with a number of an organization. A partition each: contacts are created concurrently. */
  numberedContact: (organizationId: Org, number: number) => key(`CNO#${organizationId}#${number}`, 'CNO'),
  /** Marks a contact as changed since it was indexed. Sharded by its id, so that the changes of an organization are read in parallel. */
  changedContact: (organizationId: Org, id: Id<'contact'>) =>
    key(`CNTCH#${organizationId}#${shardOf(id, CHANGED_SHARDS)}`, id),
  /** A column of a block of the audience's index, which covers 4,096 contacts with consecutive numbers. Large ones have several parts. */
  audienceColumn: (organizationId: Org, block: number, name: string, part: number) =>
    key(`AUD#${organizationId}#${block}`, `${name}#${part}`),
  /** How often blocks of the audience's index were merged: one row per 64, so that one query reads the versions of all. */
  audienceVersions: (organizationId: Org, part: number) => key(`AUDV#${organizationId}`, `V#${padded(part, 6)}`),
  /** The number of contacts per block that a selection matched, by a digest of the selection. */
  audienceCounts: (organizationId: Org, selection: string) =>
    key(`AUDC#${organizationId}#${digest(selection)}`, 'AUDC'),
  /** The segment members of a block, and its pending transitions. */
  audienceMembers: (organizationId: Org, block: number) => key(`AUD#${organizationId}#${block}`, 'MEMBERS'),
  /** A segment. An organization's are in one partition, so that one query reads them all. */
  segment: (organizationId: Org, id: IdOrEmpty<'segment'>) => key(`SEGS#${organizationId}`, `SEG#${id}`),
  /**
   * The progress of comparing a segment's conditions with the existing contacts. In the partition of the segments, so that one query reads
   * both.
   */
  segmentSweep: (organizationId: Org, id: Id<'segment'>) => key(`SEGS#${organizationId}`, `SWEEP#${id}`),
  /** The name of a segment, without case and accents: makes it unique. */
  segmentName: (organizationId: Org, name: string) => key(`SEGNAME#${organizationId}#${digest(name)}`, 'SEGNAME'),
  /** A customer event. Its id is derived from the caller's eventId, so that each is stored once. */
  customerEvent: (id: Id<'customerEvent'>) => key(`CEV#${id}`, 'CEV'),
  /** A static list without its members. An organization's are in one partition, so that one query reads them all. */
  list: (organizationId: Org, id: IdOrEmpty<'list'>) => key(`LSTS#${organizationId}`, `LST#${id}`),
  /** The name of a static list: makes it unique. */
  listName: (organizationId: Org, comparedName: string) =>
    key(`LSTNAME#${organizationId}#${digest(comparedName)}`, 'LSTNAME'),
  /** A version of a chunk of a static list's members: written once, read while the list refers to it. */
  listChunk: (listId: Id<'list'>, chunk: number, version: string) => key(`LSTC#${listId}#${chunk}`, version),
  /** An edit of a static list, until the chunks that it wrote or replaced are deleted. */
  listEdit: (listId: Id<'list'>, edit: string) => key(`LSTEDIT#${listId}`, edit),
  /** The number of contacts that were ever removed from all lists of an organization. */
  unlistedContacts: (organizationId: Org) => key(`LSTOUT#${organizationId}`, 'LAST'),
  /**
   * A contact that was removed from all lists, by sequence number: edits in flight remove it too, or replace it by the one that it was
   * merged into.
   */
  unlistedContact: (organizationId: Org, count: number) => key(`LSTOUT#${organizationId}`, `OUT#${padded(count, 12)}`),
  /** An import of contacts from a file: its progress, and the worker's claim. */
  importJob: (id: Id<'importJob'>) => key(`IMP#${id}`, 'IMP'),
  /** The running import of an organization; at most one. */
  runningImport: (organizationId: Org) => key(`IMPRUN#${organizationId}`, 'IMPRUN'),
  /** An export to a file: its progress, and the worker's claim. */
  exportJob: (id: Id<'exportJob'>) => key(`EXP#${id}`, 'EXP'),
  /** The running export of an organization; at most one. */
  runningExport: (organizationId: Org) => key(`EXPRUN#${organizationId}`, 'EXPRUN'),
  /** A turn of a contact's conversation with the organization's own assistant. */
  aiTurn: (id: Id<'aiTurn'>) => key(`AIT#${id}`, 'AIT'),
  /** A phone of an organization (blind index): makes it unique among contacts, and holds its opt-out for sends that name no contact. */
  phone: (organizationId: Org, phoneHash: string) => key(`PHONE#${organizationId}#${phoneHash}`, 'PHONE'),
  /** An e-mail address of an organization (blind index): count of opted-out contacts, its own unsubscription, and the end of its suppression. */
  emailAddress: (organizationId: Org, emailHash: string) => key(`EMAIL#${organizationId}#${emailHash}`, 'EMAIL'),
  /** A channel's user id that wrote to an organization (blind index): holds its opt-out, as a phone's row does, or the phone (blind index) that it belongs to. */
  channelUser: (organizationId: Org, userHash: string) => key(`PUSER#${organizationId}#${userHash}`, 'PUSER'),
  /** An e-mail template without its contents, as lists read it. */
  emailTemplate: (id: Id<'emailTemplate'>) => key(`ETPL#${id}`, 'ETPL'),
  /** The contents of an e-mail template; compressed. */
  emailTemplateContent: (id: Id<'emailTemplate'>) => key(`ETPL#${id}`, 'CONTENT'),
  /** The name of an e-mail template: makes it unique, and finds the template. */
  emailTemplateName: (organizationId: Org, name: string) =>
    key(`ETPLNAME#${organizationId}#${digest(name)}`, 'ETPLNAME'),
  /** A WhatsApp number without its access token. */
  number: (id: Id<'number'>) => key(`NUM#${id}`, 'NUM'),
  /** The access token of a WhatsApp number; sealed. */
  numberToken: (id: Id<'number'>) => key(`NUM#${id}`, 'TOKEN'),
  /** Meta's phone number id of a number: ensures that it belongs to one organization of the stage. */
  phoneNumberId: (phoneNumberId: string) => key(`PHONEID#${digest(phoneNumberId)}`, 'PHONEID'),
  /** The rate limit of a number: one row per rate that it ever had. */
  numberRate: (id: Id<'number'>, perSecond: number, perDay: number) => key(`RATE#${id}#${perSecond}#${perDay}`, 'RATE'),
  /** A WhatsApp template. */
  template: (id: Id<'template'>) => key(`TPL#${id}`, 'TPL'),
  /** The name of a WhatsApp template, per language and business account (WABA): makes it unique, and finds its languages. */
  templateName: (organizationId: Org, name: string, language: string, wabaId: string) =>
    key(`TPLNAME#${organizationId}#${digest(name)}`, `${language}#${digest(wabaId)}`),
  /** A WhatsApp flow. */
  flow: (id: Id<'flow'>) => key(`FLW#${id}`, 'FLW'),
  /** Meta's id of a flow, per business account (WABA): finds the flow of a Meta event. */
  metaFlow: (organizationId: Org, wabaId: string, platformFlowId: string) =>
    key(`FLWPID#${organizationId}#${digest(platformFlowId)}`, digest(wabaId)),
  /** A caller's own id of a contact: makes it unique. */
  externalId: (organizationId: Org, externalId: string) => key(`EXT#${organizationId}#${digest(externalId)}`, 'EXT'),
  /** A media file at Meta, by Meta's media id. */
  media: (organizationId: Org, mediaId: string) => key(`MEDIA#${organizationId}#${digest(mediaId)}`, 'MEDIA'),
  /** An upload by presigned URL, until it is completed or abandoned. */
  upload: (id: Id<'upload'>) => key(`UPL#${id}`, 'UPL'),
  /** A sender, by its channel and value. An organization's are in one partition. */
  sender: (organizationId: Org, channel: string, comparedValue: string) =>
    key(`SNDS#${organizationId}`, comparedValue === '' ? `${channel}#` : `${channel}#${digest(comparedValue)}`),
  /** The default sender of a channel. Sorts apart from the senders of its partition. */
  defaultSender: (organizationId: Org, channel: string) => key(`SNDS#${organizationId}`, `DEFAULT#${channel}`),
  /** The owner of an exclusive sender; outlives a verified sender. */
  senderHolder: (channel: string, value: string) => key(`SNDNAME#${channel}#${digest(value)}`, 'SNDNAME'),
  /** One of the organizations that have a number or short code. */
  numberHolder: (channel: string, value: string, org: Org) => key(`SNDNAME#${channel}#${digest(value)}`, `ORG#${org}`),
  /** The organization that has a verified value below a domain; without a value their count, which sorts first. */
  senderBelow: (channel: string, above: string, value: string) =>
    key(`SNDBELOW#${channel}#${digest(above)}`, value === '' ? 'FENCE' : `VALUE#${digest(value)}`),
  /** An SMPP account. An organization's are in one partition, so that one query reads them all. */
  smppAccount: (organizationId: Org, id: IdOrEmpty<'smppAccount'>) => key(`SMPPS#${organizationId}`, `SMPP#${id}`),
  /** A system_id of SMPP: makes it unique in the stage, and finds its account. */
  smppSystemId: (systemId: string) => key(`SMPPSYS#${digest(systemId)}`, 'SMPPSYS'),
  /** One of the concurrent binds of an SMPP account, by its number from 0, and its holder's lease. */
  smppBind: (id: Id<'smppAccount'>, slot: number) => key(`SMPPB#${id}`, `SLOT#${padded(slot, 3)}`),
  /** The hourly check of an SMPP account for notices that wait. */
  smppWatch: (id: Id<'smppAccount'>) => key(`SMPPW#${id}`, 'SMPPW'),
  /**
   * An SMPP report or reply to be delivered to an account. Sharded by the message; within a shard ordered by the age of the message, then
   * in sequence.
   */
  smppNotice: (accountId: Id<'smppAccount'>, about: IdOrEmpty<'message'> | Id<'smppParts'>, position: string) =>
    key(`SMPPQ#${accountId}#${shardOf(about, SMPP_SHARDS)}`, `WAITS#${position}`),
  /** The lease of a process that delivers the notices of a shard. Sorts before them, so that one query finds both. */
  smppShardLease: (accountId: Id<'smppAccount'>, shard: number) => key(`SMPPQ#${accountId}#${shard}`, 'TURN'),
  /** One of the binds to the SMPP carrier, by its number from 0: the lease and address of the SMPP process that holds it. */
  carrierBind: (slot: number) => key('CARRIERB', `SLOT#${padded(slot, 3)}`),
  /** The message of parts from one account with the same reference, sender and recipient. */
  smppReference: (id: Id<'smppAccount'>, reference: string) => key(`SMPPREF#${id}#${digest(reference)}`, 'SMPPREF'),
  /** A message that came in parts: the parts received so far, and the result. */
  smppParts: (id: Id<'smppParts'>) => key(`SMPPPARTS#${id}`, 'SMPPPARTS'),
  /** The reply of parts from a provider with the same reference, sender and recipient. */
  replyReference: (provider: string, reference: string) => key(`RPLREF#${provider}#${digest(reference)}`, 'RPLREF'),
  /** A reply that comes in parts: the parts received so far. */
  replyParts: (id: Id<'replyParts'>) => key(`RPLPARTS#${id}`, 'RPLPARTS'),
  /** A short link. */
  link: (code: string) => key(`LINK#${code}`, 'LINK'),
  /** The dispatchers' progress in a shard of a kind of work item, and the holder's lease. */
  dispatch: (kind: string, shard: number) => key(`DISPATCH#${kind}#${shard}`, 'DISPATCH'),
  /** Why the last attempt of a queue message failed, by its id in SQS, which stays the same among the dead letters. */
  deadLetter: (sqsId: string) => key(`DEAD#${sqsId}`, 'DEAD'),
  /** An event in the outbox, on its way to webhook subscriptions. */
  event: (id: Id<'event'>) => key(`EVT#${id}`, 'EVT'),
  /** A webhook subscription. An organization's are in one partition, so that an event's fan-out reads them in one query. */
  webhook: (organizationId: Org, id: IdOrEmpty<'webhook'>) => key(`WBHS#${organizationId}`, `WBH#${id}`),
  /** A delivery of an event to a subscription. Its id is derived from both, so that a repeated fan-out writes no second row. */
  delivery: (id: Id<'delivery'>) => key(`DLV#${id}`, 'DLV'),
  /** An attempt of a delivery, by its number and the claim that it was made under. */
  attempt: (deliveryId: Id<'delivery'>, number: number, claim: string) =>
    key(`DLV#${deliveryId}`, `ATT#${padded(number, 6)}#${claim}`),
  /** A page of a subscription's event log, by the sequence number before its first. No transaction writes it. */
  feedPage: (webhookId: Id<'webhook'>, base: number) => key(`FEED#${webhookId}`, `PAGE#${padded(base, 12)}`),
  /** Time of a recipient's (blind index) last message on a channel, per number where there are any: opens the service window. */
  lastInbound: (organizationId: Org, channel: string, hash: string, numberId: Id<'number'> | '') =>
    key(`INBOUND#${organizationId}#${channel}#${hash}`, `LAST#${numberId}`),
  /** A reply to a message. */
  reply: (id: Id<'reply'>) => key(`RPL#${id}`, 'RPL'),
  /** A push app with its sealed credentials. An organization's are in one partition. */
  pushApp: (organizationId: Org, id: IdOrEmpty<'pushApp'>) => key(`PAPPS#${organizationId}`, `PAPP#${id}`),
  /** A push device. Sharded by id, so that an audience is read in parallel and in a stable order. */
  pushToken: (organizationId: Org, id: Id<'pushToken'>) =>
    key(`PTOKS#${organizationId}#${shardOf(id, PUSH_SHARDS)}`, `PTOK#${id}`),
  /** A chunk of a push message's devices, in their shard's order, with the progress of its sending. */
  pushChunk: (messageId: Id<'message'>, shard: number, chunk: number) =>
    key(`PSH#${messageId}`, `CHUNK#${padded(shard, 2)}#${padded(chunk, 4)}`),
  /** A shard of the count of devices that opened a push message. */
  pushOpens: (messageId: Id<'message'>, shard: number) => key(`PSH#${messageId}`, `OPENS#${padded(shard, 2)}`),
  /** A dispatch: one device of a push message. Dispatches of a chunk share a partition; one partition could not take a whole message's. */
  pushDispatch: (dispatchId: Id<'pushDispatch'>) => key(`PDSP#${dispatchId.slice(4, 23)}`, `${dispatchId.slice(23)}`),
  /** An organization's last message to a recipient by a provider, from one sender or from the stage's own: attributes replies and opt-outs. */
  lastSent: (provider: string, reference: string, organizationId: Org) =>
    key(`SENT#${provider}#${digest(reference)}`, `ORG#${organizationId}`),
  /** The archive object that contains a row which left the table. */
  archived: (id: ArchiveId, kind: ArchiveKind) => key(`ARCHIVED#${id}`, kind),
  /** The key that seals a subject's (token) archived rows, or the time of its erasure; sealed. */
  archiveSubject: (token: string) => key(`SUBJECT#${token}`, 'SUBJECT'),
  /** A provider's reference: its id of a message. */
  correlation: (provider: string, reference: string) => key(`CORR#${provider}#${digest(reference)}`, 'CORR'),
  /** Receipts of a provider's id (hashed) that no message has yet: they wait for one, for some minutes. */
  earlyReceipts: (provider: string, referenceHash: string) => key(`EARLY#${provider}#${referenceHash}`, 'EARLY'),
  ...AUTOMATION_KEYS,
  ...SALES_KEYS,
} as const;
