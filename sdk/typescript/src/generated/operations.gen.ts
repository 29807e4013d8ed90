// Made from openapi.json by `npm run sdk`: not to be edited.

import { Resource } from '../resource.ts';
import { type Binary, type Call, type CsvPage, type KeyedOptions, path, type RequestOptions } from '../request.ts';
import type { Pages } from '../pages.ts';

import type {
  Account,
  AccountPage,
  AccountsListData,
  ActivateJourney,
  ActivitiesListData,
  Activity,
  ActivityPage,
  ApiKey,
  ApiKeyPage,
  AuditEntry,
  AuditListData,
  AuditPage,
  Batch,
  BeginCardUpload,
  BeginMediaUpload,
  Board,
  Breaker,
  BulkResend,
  BulkResent,
  BulkSend,
  BulkSent,
  Campaign,
  CampaignPage,
  CampaignPreview,
  CampaignRecipient,
  CampaignRecipientPage,
  CampaignsListData,
  CampaignsRecipientsData,
  Card,
  CardFile,
  CardFileAddress,
  CardFileList,
  CardHistory,
  CardPage,
  CardUploadAddress,
  CardsHistoryData,
  CardsListData,
  CardsOfCompanyData,
  CardsOfContactData,
  ChangeAccount,
  ChangeActivity,
  ChangeApiKey,
  ChangeBreaker,
  ChangeCard,
  ChangeCompany,
  ChangeContact,
  ChangeEmailTemplate,
  ChangeFlow,
  ChangeJourney,
  ChangeList,
  ChangeNumber,
  ChangeNumberProfile,
  ChangeOrganization,
  ChangePipeline,
  ChangePushApp,
  ChangeSender,
  ChangeSmppAccount,
  ChangeStage,
  ChangeTemplate,
  ChangeWebhook,
  CompaniesContactsData,
  CompaniesListData,
  CompaniesMessagesData,
  Company,
  CompanyAttributeDefinitions,
  CompanyContactPage,
  CompanyItem,
  CompanyMessages,
  CompanyPage,
  CompleteActivity,
  ConnectNumber,
  ConsentChange,
  ConsentPage,
  Contact,
  ContactExport,
  ContactImport,
  ContactImports,
  ContactImportsListData,
  ContactPage,
  ContactRead,
  ContactTimeline,
  ContactTimelineStep,
  ContactsConsentsData,
  ContactsExportData,
  ContactsListData,
  ContactsTimelineData,
  CreateAccount,
  CreateActivity,
  CreateApiKey,
  CreateCampaign,
  CreateCard,
  CreateCompany,
  CreateContact,
  CreateContactImport,
  CreateEmailTemplate,
  CreateExportJob,
  CreateFlow,
  CreateJourney,
  CreateList,
  CreateMessage,
  CreatePipeline,
  CreatePushApp,
  CreateSegment,
  CreateSender,
  CreateSession,
  CreateSmppAccount,
  CreateStage,
  CreateTemplate,
  CreateWebhook,
  CustomerEvent,
  CustomerEventPage,
  DeadLetterList,
  DefinedJourney,
  Destinations,
  EmailListData,
  EmailMessage,
  EmailPage,
  EmailTemplate,
  EmailTemplatePage,
  EmailTemplateSummary,
  EmailTemplatesListData,
  EnterJourney,
  EventEnvelope,
  EventFeed,
  EventsListData,
  ExportJob,
  ExportJobs,
  ExportJobsListData,
  ExportPage,
  ExportRow,
  ExportsMessagesData,
  ExportsWhatsappData,
  Flow,
  FlowPage,
  FlowsListData,
  Health,
  ImportCards,
  ImportCompanies,
  ImportContacts,
  ImportedCards,
  ImportedCompanies,
  ImportedContacts,
  IssuedApiKey,
  IssuedSmppAccount,
  Journey,
  JourneyEntries,
  JourneyList,
  JourneyMetrics,
  JourneyRun,
  JourneyRunPage,
  JourneyRunWithHistory,
  JourneySimulation,
  JourneysRunData,
  JourneysRunsData,
  KeysListData,
  KeysRevokeData,
  LikelyDuplicates,
  ListMembers,
  ListMembership,
  LoseCard,
  MediaUploadAddress,
  MediaUploadBinaryData,
  MediaUploadResult,
  MergeContact,
  Message,
  MessagePage,
  MessageTimeline,
  MessagesListData,
  MetaOpenapiResponse,
  Metrics,
  MetricsGetData,
  MoveCard,
  NewSession,
  NoFields,
  NumberPage,
  NumberProfile,
  NumbersListData,
  OperatorListOrganizationsData,
  OperatorListSetAsideData,
  OperatorPeekDeadLettersData,
  OptInContact,
  OptOutContact,
  OptOutPushToken,
  OrderStages,
  Organization,
  OrganizationState,
  OrganizationSummary,
  OrganizationSummaryPage,
  Pipeline,
  PipelineForecast,
  PipelinePage,
  PipelinesBoardData,
  PipelinesListData,
  PipelinesStageCardsData,
  PreviewPush,
  PreviewSegment,
  PreviewSms,
  PriceTable,
  ProviderList,
  PushApp,
  PushAppList,
  PushDevice,
  PushDispatch,
  PushDispatchPage,
  PushListData,
  PushListDispatchesData,
  PushMessage,
  PushMessagePage,
  PushOpened,
  PushPreview,
  QueueList,
  QueuedMessage,
  QuietHours,
  RcsListData,
  RcsMessage,
  RcsMessagePage,
  RecordCustomerEvent,
  Redrive,
  RedriveDeadLetters,
  RegisterCardFile,
  RegisterPushToken,
  RenderEmailTemplate,
  RenderedEmailTemplate,
  ReopenCard,
  ReplayResult,
  ReplayWebhook,
  ReportAiTurn,
  ReportedAiTurn,
  RequestSignInLink,
  ResendMessage,
  ResumeCampaign,
  RetriedWork,
  RetryWork,
  RevealedDocuments,
  RotateApiKey,
  RotateJourneySecret,
  RotateWebhookSecret,
  RotatedJourneySecret,
  Segment,
  SegmentContactPage,
  SegmentExplanation,
  SegmentPage,
  SegmentPreview,
  SegmentsContactsData,
  SegmentsListData,
  SendEmail,
  SendPlan,
  SendPush,
  SendRcs,
  SendSms,
  Sender,
  SenderList,
  SentEmail,
  SentPush,
  SentRcs,
  SentSms,
  SessionList,
  SessionsCreateData,
  SessionsListData,
  SessionsRefreshData,
  SessionsRequestLinkData,
  SetAsideWorkList,
  SetCompanyAttributes,
  SetDestinations,
  SetQuietHours,
  SimulateJourney,
  SmppAccount,
  SmppAccountList,
  SmsListData,
  SmsListRepliesData,
  SmsMessage,
  SmsMessagePage,
  SmsPreview,
  SmsReply,
  SmsReplyPage,
  Stage,
  StageCards,
  StaticList,
  StaticLists,
  StuckWorkList,
  Template,
  TemplatePage,
  TemplatesListData,
  TestWebhook,
  UpdateCampaign,
  UpdateSegment,
  UploadMedia,
  V1Accepted,
  V1Send,
  Wallet,
  WalletChange,
  WalletEntry,
  WalletEntryPage,
  WalletListEntriesData,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookPage,
  WebhookWithSecret,
  WebhooksListData,
  WebhooksListDeliveriesData,
  WebhooksListEventsData,
  WhatsappNumber,
  WinCard,
} from './types.gen.ts';

/** Query of `messages.list`. */
export type MessagesListQuery = NonNullable<MessagesListData['query']>;

/** Query of `campaigns.list`. */
export type CampaignsListQuery = NonNullable<CampaignsListData['query']>;

/** Query of `campaigns.recipients`. */
export type CampaignsRecipientsQuery = NonNullable<CampaignsRecipientsData['query']>;

/** Query of `sms.list`. */
export type SmsListQuery = NonNullable<SmsListData['query']>;

/** Query of `sms.list-replies`. */
export type SmsListRepliesQuery = NonNullable<SmsListRepliesData['query']>;

/** Query of `rcs.list`. */
export type RcsListQuery = NonNullable<RcsListData['query']>;

/** Query of `email.list`. */
export type EmailListQuery = NonNullable<EmailListData['query']>;

/** Query of `email-templates.list`. */
export type EmailTemplatesListQuery = NonNullable<EmailTemplatesListData['query']>;

/** Query of `numbers.list`. */
export type NumbersListQuery = NonNullable<NumbersListData['query']>;

/** Query of `templates.list`. */
export type TemplatesListQuery = NonNullable<TemplatesListData['query']>;

/** Query of `flows.list`. */
export type FlowsListQuery = NonNullable<FlowsListData['query']>;

/** Query of `push.list`. */
export type PushListQuery = NonNullable<PushListData['query']>;

/** Query of `push.list-dispatches`. */
export type PushListDispatchesQuery = NonNullable<PushListDispatchesData['query']>;

/** Query of `media.upload-binary`. */
export type MediaUploadBinaryQuery = NonNullable<MediaUploadBinaryData['query']>;

/** Query of `contacts.list`. */
export type ContactsListQuery = NonNullable<ContactsListData['query']>;

/** Query of `contacts.consents`. */
export type ContactsConsentsQuery = NonNullable<ContactsConsentsData['query']>;

/** Query of `contacts.export`. */
export type ContactsExportQuery = NonNullable<ContactsExportData['query']>;

/** Query of `contact-imports.list`. */
export type ContactImportsListQuery = NonNullable<ContactImportsListData['query']>;

/** Query of `contacts.timeline`. */
export type ContactsTimelineQuery = NonNullable<ContactsTimelineData['query']>;

/** Query of `companies.list`. */
export type CompaniesListQuery = NonNullable<CompaniesListData['query']>;

/** Query of `companies.contacts`. */
export type CompaniesContactsQuery = NonNullable<CompaniesContactsData['query']>;

/** Query of `companies.messages`. */
export type CompaniesMessagesQuery = NonNullable<CompaniesMessagesData['query']>;

/** Query of `segments.list`. */
export type SegmentsListQuery = NonNullable<SegmentsListData['query']>;

/** Query of `segments.contacts`. */
export type SegmentsContactsQuery = NonNullable<SegmentsContactsData['query']>;

/** Query of `journeys.runs`. */
export type JourneysRunsQuery = NonNullable<JourneysRunsData['query']>;

/** Query of `journeys.run`. */
export type JourneysRunQuery = NonNullable<JourneysRunData['query']>;

/** Query of `activities.list`. */
export type ActivitiesListQuery = NonNullable<ActivitiesListData['query']>;

/** Query of `pipelines.list`. */
export type PipelinesListQuery = NonNullable<PipelinesListData['query']>;

/** Query of `pipelines.board`. */
export type PipelinesBoardQuery = NonNullable<PipelinesBoardData['query']>;

/** Query of `pipelines.stage-cards`. */
export type PipelinesStageCardsQuery = NonNullable<PipelinesStageCardsData['query']>;

/** Query of `cards.list`. */
export type CardsListQuery = NonNullable<CardsListData['query']>;

/** Query of `cards.history`. */
export type CardsHistoryQuery = NonNullable<CardsHistoryData['query']>;

/** Query of `cards.of-contact`. */
export type CardsOfContactQuery = NonNullable<CardsOfContactData['query']>;

/** Query of `cards.of-company`. */
export type CardsOfCompanyQuery = NonNullable<CardsOfCompanyData['query']>;

/** Query of `events.list`. */
export type EventsListQuery = NonNullable<EventsListData['query']>;

/** Query of `exports.messages`. */
export type ExportsMessagesQuery = NonNullable<ExportsMessagesData['query']>;

/** Query of `exports.whatsapp`. */
export type ExportsWhatsappQuery = NonNullable<ExportsWhatsappData['query']>;

/** Query of `export-jobs.list`. */
export type ExportJobsListQuery = NonNullable<ExportJobsListData['query']>;

/** Query of `metrics.get`. */
export type MetricsGetQuery = NonNullable<MetricsGetData['query']>;

/** Query of `wallet.list-entries`. */
export type WalletListEntriesQuery = NonNullable<WalletListEntriesData['query']>;

/** Query of `keys.list`. */
export type KeysListQuery = NonNullable<KeysListData['query']>;

/** Query of `keys.revoke`. */
export type KeysRevokeQuery = NonNullable<KeysRevokeData['query']>;

/** Query of `accounts.list`. */
export type AccountsListQuery = NonNullable<AccountsListData['query']>;

/** Query of `sessions.create`. */
export type SessionsCreateQuery = NonNullable<SessionsCreateData['query']>;

/** Query of `sessions.request-link`. */
export type SessionsRequestLinkQuery = NonNullable<SessionsRequestLinkData['query']>;

/** Query of `sessions.refresh`. */
export type SessionsRefreshQuery = NonNullable<SessionsRefreshData['query']>;

/** Query of `sessions.list`. */
export type SessionsListQuery = NonNullable<SessionsListData['query']>;

/** Query of `audit.list`. */
export type AuditListQuery = NonNullable<AuditListData['query']>;

/** Query of `operator.list-set-aside`. */
export type OperatorListSetAsideQuery = NonNullable<OperatorListSetAsideData['query']>;

/** Query of `operator.peek-dead-letters`. */
export type OperatorPeekDeadLettersQuery = NonNullable<OperatorPeekDeadLettersData['query']>;

/** Query of `operator.list-organizations`. */
export type OperatorListOrganizationsQuery = NonNullable<OperatorListOrganizationsData['query']>;

/** Query of `webhooks.list`. */
export type WebhooksListQuery = NonNullable<WebhooksListData['query']>;

/** Query of `webhooks.list-deliveries`. */
export type WebhooksListDeliveriesQuery = NonNullable<WebhooksListDeliveriesData['query']>;

/** Query of `webhooks.list-events`. */
export type WebhooksListEventsQuery = NonNullable<WebhooksListEventsData['query']>;

export class MessagesOperations extends Resource {
  /**
   * List messages of all channels, sent and received, newest first
   *
   * Scope: `messages:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: MessagesListQuery, options?: RequestOptions): Pages<MessagePage, Message> {
    return this.bySkip('/messages', query, options);
  }

  /**
   * Create a message on any channel
   *
   * The message is stored and sent asynchronously, now or when scheduled; quiet hours defer it. The same Idempotency-Key with the same body returns the first response with `replayed: true`; with another body, 409.
   *
   * Scope: `messages:send`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  create(body: CreateMessage, options?: KeyedOptions): Promise<QueuedMessage> {
    return this.call('POST', '/messages', { body, keyed: true }, options);
  }

  /**
   * Read a message of any channel
   *
   * Scope: `messages:read`.
   *
   * @param id The id of the message.
   */
  get(id: string, options?: RequestOptions): Promise<Message> {
    return this.call('GET', path`/messages/${id}`, {}, options);
  }

  /**
   * Cancel a queued message
   *
   * Its hold is released and the coins can be spent again at once; nothing is sent. A message of a scheduled bulk send can be cancelled too; the others of the batch stay queued. A message that is no longer queued is 409.
   *
   * Scope: `messages:manage`.
   *
   * @param id The id of the message.
   */
  cancel(id: string, options?: RequestOptions): Promise<Message> {
    return this.call('POST', path`/messages/${id}/cancel`, {}, options);
  }

  /**
   * Send a queued message now
   *
   * It is sent at once, ignoring its schedule, quiet hours and rate limits. 409 for a message that is no longer queued, and for one of a batch that is not decided yet: no message of a batch is sent before the batch is accepted.
   *
   * Scope: `messages:send`.
   *
   * @param id The id of the message.
   */
  force(id: string, options?: RequestOptions): Promise<Message> {
    return this.call('POST', path`/messages/${id}/force`, {}, options);
  }

  /**
   * Correct and resend a queued or failed message
   *
   * The original is archived and refers to the new message, which is billed like any other; the hold of a queued original is released. The new message is sent at once, whatever the original's schedule was, and without fallbacks: those of a queued original end with it. Of concurrent resends one succeeds and the others are 409, and so is one of a message whose batch is not decided yet. With an Idempotency-Key, a repeat returns the first response with `replayed: true`.
   *
   * Scope: `messages:manage`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   *
   * @param id The id of the message.
   */
  resend(id: string, body?: ResendMessage, options?: KeyedOptions): Promise<QueuedMessage> {
    return this.call('POST', path`/messages/${id}/resend`, { body, keyed: true }, options);
  }

  /**
   * Read a message's timeline
   *
   * Contact match, opt-out, window, price band, hold, route, providers' answers, receipts, fallbacks and webhooks, oldest first. Webhook deliveries are shown for 30 days, as long as they are kept.
   *
   * Scope: `messages:read`.
   *
   * @param id The id of the message.
   */
  timeline(id: string, options?: RequestOptions): Promise<MessageTimeline> {
    return this.call('GET', path`/messages/${id}/timeline`, {}, options);
  }
}

export class V1Operations extends Resource {
  /**
   * Send a message on any channel
   *
   * One field selects the channel, and one template may serve the message and its fallbacks: a WhatsApp template falls back to an SMS with its filled body. The message is accepted and sent asynchronously; its outcome, and that of every fallback, arrives by webhook: as `message.failed` where the channel has no event of its own for a failure. Each message that is sent is billed at its own rate. An e-mail to a suppressed address is accepted as well: it fails with the reason `suppressed`, and nothing is charged. The same Idempotency-Key within 24 hours returns the same message; with another body, 409. Errors have the lower-case codes of /v1 and a recommended `action`.
   *
   * Scope: `messages:send`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  send(body: V1Send, options?: KeyedOptions): Promise<V1Accepted> {
    return this.call('POST', '/v1/messages', { body, keyed: true }, options);
  }

  /**
   * Preview a send and its cost
   *
   * The send plan, step by step: price, band, recipient, send time, and why it would be refused. A suppressed e-mail address is shown as a `refusal` with the reason `suppressed`, whose price is not charged: the send itself is 202, and the message then fails with that reason, and its fallbacks are sent. Without pii:full, at most 60 previews a minute may show that a recipient opted out or is suppressed; then 429.
   *
   * Scope: `messages:send`.
   */
  preview(body: V1Send, options?: RequestOptions): Promise<SendPlan> {
    return this.call('POST', '/v1/messages/preview', { body }, options);
  }
}

export class BulkOperations extends Resource {
  /**
   * Send up to 5,000 messages
   *
   * Each message is like a single send, with its own channel, content, fallbacks and key, and is sent asynchronously. permissive: valid and affordable messages are accepted, the others are listed in `errors`. strict: nothing is accepted, held or sent unless all messages are. A message with an `idempotencyKey` that was used before with the same body counts as accepted and is not sent again, so a batch whose response was lost can be repeated. An Idempotency-Key is that of the whole request: the same request again is answered with the first batch and `replayed: true`, and sends nothing twice; messages that were refused are checked again, and if any is accepted the answer is a new batch of all of them. Another body or mode under it is 409, and so is another operation. In both modes the batch is decided as a whole before any message is sent: if it cannot be reserved within 18 seconds, or the store is unavailable meanwhile, the answer is 503 with Retry-After, nothing of it is sent or stays held, and the same request can be repeated. The contracted SMS per second limit what one batch may accept in a second.
   *
   * Scope: `messages:send`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  send(body: BulkSend, options?: KeyedOptions): Promise<BulkSent> {
    return this.call('POST', '/v1/messages/bulk', { body, keyed: true }, options);
  }

  /**
   * Read a batch and its progress
   *
   * Scope: `messages:read`.
   *
   * @param batchId The id of the batch.
   */
  get(batchId: string, options?: RequestOptions): Promise<Batch> {
    return this.call('GET', path`/v1/messages/bulk/${batchId}`, {}, options);
  }

  /**
   * Correct and resend queued or failed messages
   *
   * Each message is resent as it would be alone: the original is archived and refers to the new one, which is billed like any other; the hold of a queued original is released. Messages that cannot be resent are listed in `errors`; the others are resent. A repeat sends nothing twice, since an archived original cannot be resent. With an Idempotency-Key the same request again has the first batch and the messages that it selected: what was not resent yet is resent now, and the rest is not sent again; another body under the key is 409. Without pii:full, at most 60 dry runs a minute may show that a new address is refused; then 429.
   *
   * Scope: `messages:manage`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  resend(body: BulkResend, options?: KeyedOptions): Promise<BulkResent> {
    return this.call('POST', '/v1/messages/bulk-resend', { body, keyed: true }, options);
  }
}

export class CampaignsOperations extends Resource {
  /**
   * List campaigns, newest first
   *
   * Scope: `campaigns:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: CampaignsListQuery, options?: RequestOptions): Pages<CampaignPage, Campaign> {
    return this.bySkip('/v2/campaigns', query, options);
  }

  /**
   * Create a campaign
   *
   * As a draft: nothing is sent before it is started. Braces that are not closed, and unknown placeholders, are 422 with their position.
   *
   * Scope: `campaigns:write`.
   */
  create(body: CreateCampaign, options?: RequestOptions): Promise<Campaign> {
    return this.call('POST', '/v2/campaigns', { body }, options);
  }

  /**
   * Read a campaign and its progress
   *
   * Scope: `campaigns:read`.
   *
   * @param id The id of the campaign.
   */
  get(id: string, options?: RequestOptions): Promise<Campaign> {
    return this.call('GET', path`/v2/campaigns/${id}`, {}, options);
  }

  /**
   * Change a campaign
   *
   * Only for a draft, a scheduled campaign, or a paused one that never began. Absent fields stay; null clears: without `scheduledAt`, one that was scheduled is a draft. A `message` replaces `variants`, and vice versa.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of the campaign.
   */
  update(id: string, body?: UpdateCampaign, options?: RequestOptions): Promise<Campaign> {
    return this.call('PATCH', path`/v2/campaigns/${id}`, { body }, options);
  }

  /**
   * Delete a campaign
   *
   * Only for a draft or a scheduled campaign.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of the campaign.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/campaigns/${id}`, {}, options);
  }

  /**
   * Cancel a campaign
   *
   * Messages that were not sent yet are cancelled soon after, and their money released.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of the campaign.
   */
  cancel(id: string, options?: RequestOptions): Promise<Campaign> {
    return this.call('POST', path`/v2/campaigns/${id}/cancel`, {}, options);
  }

  /**
   * Pause a campaign
   *
   * Accepted messages are still sent; no other recipient gets a message.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of the campaign.
   */
  pause(id: string, options?: RequestOptions): Promise<Campaign> {
    return this.call('POST', path`/v2/campaigns/${id}/pause`, {}, options);
  }

  /**
   * Preview what a campaign would do and cost
   *
   * Stores, sends and charges nothing. The reach is exact.
   *
   * Scope: `campaigns:read`.
   *
   * @param id The id of the campaign.
   */
  preview(id: string, options?: RequestOptions): Promise<CampaignPreview> {
    return this.call('POST', path`/v2/campaigns/${id}/preview`, {}, options);
  }

  /**
   * List a campaign's recipients
   *
   * In the order in which they joined the organization. A page reads 1,000 recipients at most, and may have fewer than its limit.
   *
   * Scope: `campaigns:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the campaign.
   */
  recipients(id: string, query?: CampaignsRecipientsQuery, options?: RequestOptions): Pages<CampaignRecipientPage, CampaignRecipient> {
    return this.byCursor(path`/v2/campaigns/${id}/recipients`, query, options);
  }

  /**
   * Resume a paused campaign
   *
   * Continues with exactly the recipients that have no message.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of the campaign.
   */
  resume(id: string, body?: ResumeCampaign, options?: RequestOptions): Promise<Campaign> {
    return this.call('POST', path`/v2/campaigns/${id}/resume`, { body }, options);
  }

  /**
   * Start a campaign
   *
   * Takes a snapshot of its audience now, or at `scheduledAt` if that is in the future. A running campaign is answered as it is.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of the campaign.
   */
  start(id: string, options?: RequestOptions): Promise<Campaign> {
    return this.call('POST', path`/v2/campaigns/${id}/start`, {}, options);
  }
}

export class SmsOperations extends Resource {
  /**
   * List SMS, newest first
   *
   * Scope: `sms:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: SmsListQuery, options?: RequestOptions): Pages<SmsMessagePage, SmsMessage> {
    return this.bySkip('/v2/sms/messages', query, options);
  }

  /**
   * Send an SMS
   *
   * Synchronous: responds once the provider accepted or refused. Delivery arrives by webhook as sms.delivered, sms.failed or sms.undelivered. The same Idempotency-Key with the same body returns the first response with `replayed: true`; with another body, 409.
   *
   * Scope: `sms:send`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  send(body: SendSms, options?: KeyedOptions): Promise<SentSms> {
    return this.call('POST', '/v2/sms/messages', { body, keyed: true }, options);
  }

  /**
   * Read an SMS
   *
   * The current state only: polling shows the same data as the webhook, but later.
   *
   * Scope: `sms:read`.
   *
   * @param id The id of the SMS.
   */
  get(id: string, options?: RequestOptions): Promise<SmsMessage> {
    return this.call('GET', path`/v2/sms/messages/${id}`, {}, options);
  }

  /**
   * Count and price a text without sending it
   *
   * Scope: `sms:send`.
   */
  preview(body: PreviewSms, options?: RequestOptions): Promise<SmsPreview> {
    return this.call('POST', '/v2/sms/preview', { body }, options);
  }

  /**
   * List inbound replies, newest first
   *
   * Scope: `sms:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  listReplies(query?: SmsListRepliesQuery, options?: RequestOptions): Pages<SmsReplyPage, SmsReply> {
    return this.bySkip('/v2/sms/replies', query, options);
  }

  /**
   * Read one reply
   *
   * Scope: `sms:read`.
   *
   * @param id The id of the reply.
   */
  getReply(id: string, options?: RequestOptions): Promise<SmsReply> {
    return this.call('GET', path`/v2/sms/replies/${id}`, {}, options);
  }
}

export class RcsOperations extends Resource {
  /**
   * List RCS messages, newest first
   *
   * Pages by cursor. A filtered page may have fewer messages than `limit`, or none, and still a `nextCursor`: the list ends where `nextCursor` is absent.
   *
   * Scope: `rcs:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: RcsListQuery, options?: RequestOptions): Pages<RcsMessagePage, RcsMessage> {
    return this.byCursor('/v2/rcs/messages', query, options);
  }

  /**
   * Send an RCS message
   *
   * Synchronous: responds once the provider accepted or refused. Delivery arrives by webhook as rcs.delivered, rcs.read or rcs.failed, whose `data.channel` shows whether it was sent by RCS or by its SMS fallback. One price per message, however long its card. The same Idempotency-Key with the same body returns the first response with `replayed: true`; with another body, 409.
   *
   * Scope: `rcs:send`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  send(body: SendRcs, options?: KeyedOptions): Promise<SentRcs> {
    return this.call('POST', '/v2/rcs/messages', { body, keyed: true }, options);
  }

  /**
   * Read an RCS message
   *
   * The current state only: polling shows the same data as the webhook, but later.
   *
   * Scope: `rcs:read`.
   *
   * @param id The id of the RCS message.
   */
  get(id: string, options?: RequestOptions): Promise<RcsMessage> {
    return this.call('GET', path`/v2/rcs/messages/${id}`, {}, options);
  }
}

export class EmailOperations extends Resource {
  /**
   * List e-mails, newest first
   *
   * Bodies are never returned.
   *
   * Scope: `email:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: EmailListQuery, options?: RequestOptions): Pages<EmailPage, EmailMessage> {
    return this.bySkip('/v2/email/messages', query, options);
  }

  /**
   * Send an e-mail
   *
   * Synchronous: responds once the provider accepted or refused; acceptance is not delivery. Delivery, bounce and complaint arrive by webhook as email.delivered, email.bounced and email.complained. A live address that bounced permanently or complained is suppressed by the provider: for 14 days from then its e-mails, transactional ones too, are refused with 422 and `meta.motivo` suppressed, stored as failed and not charged. The same Idempotency-Key with the same body returns the first response with `replayed: true`; with another body, 409.
   *
   * Scope: `email:send`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  send(body: SendEmail, options?: KeyedOptions): Promise<SentEmail> {
    return this.call('POST', '/v2/email/messages', { body, keyed: true }, options);
  }

  /**
   * Read an e-mail
   *
   * The current state, without the body.
   *
   * Scope: `email:read`.
   *
   * @param id The id of the e-mail.
   */
  get(id: string, options?: RequestOptions): Promise<EmailMessage> {
    return this.call('GET', path`/v2/email/messages/${id}`, {}, options);
  }
}

export class EmailTemplatesOperations extends Resource {
  /**
   * List e-mail templates, newest first
   *
   * Without their contents.
   *
   * Scope: `templates:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: EmailTemplatesListQuery, options?: RequestOptions): Pages<EmailTemplatePage, EmailTemplateSummary> {
    return this.bySkip('/v2/email/templates', query, options);
  }

  /**
   * Create an e-mail template
   *
   * MJML is compiled here, once; errors are reported with their lines. A name that another template has is 409 with its id in `meta.templateId`.
   *
   * Scope: `templates:write`.
   */
  create(body: CreateEmailTemplate, options?: RequestOptions): Promise<EmailTemplate> {
    return this.call('POST', '/v2/email/templates', { body }, options);
  }

  /**
   * Read an e-mail template
   *
   * Scope: `templates:read`.
   *
   * @param id The id of the template.
   */
  get(id: string, options?: RequestOptions): Promise<EmailTemplate> {
    return this.call('GET', path`/v2/email/templates/${id}`, {}, options);
  }

  /**
   * Change an e-mail template
   *
   * JSON Merge Patch: absent fields stay, `text: null` clears. Sent e-mails do not change.
   *
   * Scope: `templates:write`.
   *
   * @param id The id of the template.
   */
  change(id: string, body?: ChangeEmailTemplate, options?: RequestOptions): Promise<EmailTemplate> {
    return this.call('PATCH', path`/v2/email/templates/${id}`, { body }, options);
  }

  /**
   * Delete an e-mail template
   *
   * Its name can be used again. Sent e-mails do not change.
   *
   * Scope: `templates:write`.
   *
   * @param id The id of the template.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/email/templates/${id}`, {}, options);
  }

  /**
   * Render an e-mail template
   *
   * Filled as in a send; nothing is sent or stored.
   *
   * Scope: `templates:read`.
   *
   * @param id The id of the template.
   */
  render(id: string, body?: RenderEmailTemplate, options?: RequestOptions): Promise<RenderedEmailTemplate> {
    return this.call('POST', path`/v2/email/templates/${id}/render`, { body }, options);
  }
}

export class NumbersOperations extends Resource {
  /**
   * List WhatsApp numbers, newest first
   *
   * Scope: `numbers:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: NumbersListQuery, options?: RequestOptions): Pages<NumberPage, WhatsappNumber> {
    return this.bySkip('/numbers', query, options);
  }

  /**
   * Connect a WhatsApp number
   *
   * Checks with Meta, by the token, that the number belongs to the account, and subscribes to its webhooks. The account's templates at Meta are imported, at most 2,000, with their ids, components and statuses (`GET /v2/templates`); those in unsupported languages are skipped. A number that the stage already has is 409, with `meta.numberId` when it is your own. With a test key a sandbox replaces Meta, by the last four digits of `phoneNumberId`: 0001 yellow, 0002 red and flagged, 0003 pending, 0250 a tier of 250 a day, 0404 unknown to Meta; any other is connected and green. The token `invalid` is refused.
   *
   * Scope: `numbers:write`.
   */
  connect(body: ConnectNumber, options?: RequestOptions): Promise<WhatsappNumber> {
    return this.call('POST', '/numbers', { body }, options);
  }

  /**
   * Read a WhatsApp number
   *
   * Scope: `numbers:read`.
   *
   * @param numberId The id of the number.
   */
  get(numberId: string, options?: RequestOptions): Promise<WhatsappNumber> {
    return this.call('GET', path`/numbers/${numberId}`, {}, options);
  }

  /**
   * Change a WhatsApp number
   *
   * JSON Merge Patch: absent fields stay. A new token is first checked with Meta. A rate above Meta's limit for the number is 422; null resets it to Meta's limit, and if Meta later lowers the limit, the lower one applies.
   *
   * Scope: `numbers:write`.
   *
   * @param numberId The id of the number.
   */
  change(numberId: string, body?: ChangeNumber, options?: RequestOptions): Promise<WhatsappNumber> {
    return this.call('PATCH', path`/numbers/${numberId}`, { body }, options);
  }

  /**
   * Disconnect a WhatsApp number
   *
   * Its token is deleted, and its phoneNumberId can be connected again. Its messages stay; its templates and flows stay too, but can no longer be submitted or published.
   *
   * Scope: `numbers:write`.
   *
   * @param numberId The id of the number.
   */
  disconnect(numberId: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/numbers/${numberId}`, {}, options);
  }

  /**
   * Read a number's profile
   *
   * As Meta last reported it; `POST /numbers/{numberId}/sync` refreshes it.
   *
   * Scope: `numbers:read`.
   *
   * @param numberId The id of the number.
   */
  getProfile(numberId: string, options?: RequestOptions): Promise<NumberProfile> {
    return this.call('GET', path`/numbers/${numberId}/profile`, {}, options);
  }

  /**
   * Change a number's profile
   *
   * Changes the profile at Meta, then here. JSON Merge Patch: absent fields stay, null clears.
   *
   * Scope: `numbers:write`.
   *
   * @param numberId The id of the number.
   */
  changeProfile(numberId: string, body?: ChangeNumberProfile, options?: RequestOptions): Promise<NumberProfile> {
    return this.call('PATCH', path`/numbers/${numberId}/profile`, { body }, options);
  }

  /**
   * Refresh a number from Meta
   *
   * Its current status, quality, tier and profile. A changed quality raises `number.quality_changed`. The account's templates are imported too, as when the number was connected; a review that ended meanwhile raises its event.
   *
   * Scope: `numbers:write`.
   *
   * @param numberId The id of the number.
   */
  sync(numberId: string, options?: RequestOptions): Promise<WhatsappNumber> {
    return this.call('POST', path`/numbers/${numberId}/sync`, {}, options);
  }
}

export class TemplatesOperations extends Resource {
  /**
   * List WhatsApp templates, newest first
   *
   * With their components, which contain the variables.
   *
   * Scope: `templates:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: TemplatesListQuery, options?: RequestOptions): Pages<TemplatePage, Template> {
    return this.bySkip('/v2/templates', query, options);
  }

  /**
   * Create a WhatsApp template
   *
   * Creates a draft: Meta gets it when it is submitted. A name that another template of the account has in this language is 409 with its id in `meta.templateId`.
   *
   * Scope: `templates:write`.
   */
  create(body: CreateTemplate, options?: RequestOptions): Promise<Template> {
    return this.call('POST', '/v2/templates', { body }, options);
  }

  /**
   * Read a WhatsApp template
   *
   * Scope: `templates:read`.
   *
   * @param id The id of the template.
   */
  get(id: string, options?: RequestOptions): Promise<Template> {
    return this.call('GET', path`/v2/templates/${id}`, {}, options);
  }

  /**
   * Change a WhatsApp template
   *
   * Only a draft or a rejected template, which becomes a draft; increments `version`. JSON Merge Patch: absent fields stay. Name and language cannot change once Meta has the template.
   *
   * Scope: `templates:write`.
   *
   * @param id The id of the template.
   */
  change(id: string, body?: ChangeTemplate, options?: RequestOptions): Promise<Template> {
    return this.call('PATCH', path`/v2/templates/${id}`, { body }, options);
  }

  /**
   * Delete a WhatsApp template
   *
   * It is also deleted at Meta, which reserves the name of an approved template for 30 days.
   *
   * Scope: `templates:write`.
   *
   * @param id The id of the template.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/templates/${id}`, {}, options);
  }

  /**
   * Submit a WhatsApp template for Meta's review
   *
   * Only a draft or a rejected template. `pending` while Meta reviews it; the result raises `template.approved` or `template.rejected`. It stays `submitted` if Meta’s response was lost: submitting again is safe. With a test key a sandbox reviews at once: names that end in `_rejected` are rejected, `_pending` stays pending, others are approved.
   *
   * Scope: `templates:write`.
   *
   * @param id The id of the template.
   */
  submit(id: string, options?: RequestOptions): Promise<Template> {
    return this.call('POST', path`/v2/templates/${id}/submit`, {}, options);
  }
}

export class FlowsOperations extends Resource {
  /**
   * List WhatsApp flows, newest first
   *
   * Fields named `platform…`, here and in the query, are Meta's own: its statuses, ids and categories. A page ends before `limit` if its flows exceed 5 MB together: continue at `skip` plus the number of items.
   *
   * Scope: `flows:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: FlowsListQuery, options?: RequestOptions): Pages<FlowPage, Flow> {
    return this.bySkip('/v2/flows', query, options);
  }

  /**
   * Create a WhatsApp flow
   *
   * Creates a draft: Meta gets it when it is published.
   *
   * Scope: `flows:write`.
   */
  create(body: CreateFlow, options?: RequestOptions): Promise<Flow> {
    return this.call('POST', '/v2/flows', { body }, options);
  }

  /**
   * Read a WhatsApp flow
   *
   * Scope: `flows:read`.
   *
   * @param id The id of the flow.
   */
  get(id: string, options?: RequestOptions): Promise<Flow> {
    return this.call('GET', path`/v2/flows/${id}`, {}, options);
  }

  /**
   * Change a WhatsApp flow
   *
   * Only a draft; increments `version`. JSON Merge Patch: absent fields stay, `description: null` clears. 409 while it is being published, and after a publication with an unknown outcome, until publishing it again has determined it.
   *
   * Scope: `flows:write`.
   *
   * @param id The id of the flow.
   */
  change(id: string, body?: ChangeFlow, options?: RequestOptions): Promise<Flow> {
    return this.call('PATCH', path`/v2/flows/${id}`, { body }, options);
  }

  /**
   * Delete a WhatsApp flow
   *
   * Only a draft; it is also deleted at Meta if it exists there. 409 while it is being published.
   *
   * Scope: `flows:write`.
   *
   * @param id The id of the flow.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/flows/${id}`, {}, options);
  }

  /**
   * Archive a WhatsApp flow
   *
   * Only a draft or a deprecated flow. This cannot be undone.
   *
   * Scope: `flows:write`.
   *
   * @param id The id of the flow.
   */
  archive(id: string, options?: RequestOptions): Promise<Flow> {
    return this.call('POST', path`/v2/flows/${id}/archive`, {}, options);
  }

  /**
   * Deprecate a WhatsApp flow
   *
   * Only an active or a paused flow; it is also deprecated at Meta. This cannot be undone.
   *
   * Scope: `flows:write`.
   *
   * @param id The id of the flow.
   */
  deprecate(id: string, options?: RequestOptions): Promise<Flow> {
    return this.call('POST', path`/v2/flows/${id}/deprecate`, {}, options);
  }

  /**
   * Publish a WhatsApp flow
   *
   * The draft is created at Meta, its JSON is uploaded and it is published: it is `active` and can no longer be changed. 422 with the errors that Meta finds. After a 502, publishing again continues where it stopped.
   *
   * Scope: `flows:write`.
   *
   * @param id The id of the flow.
   */
  publish(id: string, options?: RequestOptions): Promise<Flow> {
    return this.call('POST', path`/v2/flows/${id}/publish`, {}, options);
  }

  /**
   * Read a WhatsApp flow’s status from Meta
   *
   * Meta blocks, throttles and releases flows on its own: an active flow that it blocked is `paused`, and active again once it is released. 409 for a flow that was never published.
   *
   * Scope: `flows:write`.
   *
   * @param id The id of the flow.
   */
  sync(id: string, options?: RequestOptions): Promise<Flow> {
    return this.call('POST', path`/v2/flows/${id}/sync`, {}, options);
  }
}

export class PushOperations extends Resource {
  /**
   * Report that a notification was opened
   *
   * Call it when the person taps the notification. Only the first open counts; a repeat returns `counted: false`, and so does one for a device that the notification did not reach: it failed, or is not sent yet. It does not affect billing.
   *
   * Scope: `push:send`.
   *
   * @param id The dispatch id of the notification’s payload.
   */
  openDispatch(id: string, options?: RequestOptions): Promise<PushOpened> {
    return this.call('POST', path`/v2/push/dispatches/${id}/opened`, {}, options);
  }

  /**
   * List push messages, newest first
   *
   * Pages by cursor. A filtered page may have fewer messages than `limit`, or none, and still a `nextCursor`: the list ends where `nextCursor` is absent.
   *
   * Scope: `push:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: PushListQuery, options?: RequestOptions): Pages<PushMessagePage, PushMessage> {
    return this.byCursor('/v2/push/messages', query, options);
  }

  /**
   * Send a push message to an audience
   *
   * Responds once every device is queued, not when the push services accept: read the message by its id to follow it. The price of all devices is held; each is charged when its push service accepts it, and the price of failed ones is released. When the last device is resolved, one event is raised for the whole message, message.sent or message.failed, with the counts in its data. A test key reaches only sandbox devices. An audience without devices is accepted and reaches none. A request that takes too long is 503: the same request with the same Idempotency-Key continues where it stopped, and no device is queued twice.
   *
   * Scope: `push:send`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  send(body: SendPush, options?: KeyedOptions): Promise<SentPush> {
    return this.call('POST', '/v2/push/messages', { body, keyed: true }, options);
  }

  /**
   * Read a push message and the results of its devices
   *
   * Scope: `push:read`.
   *
   * @param id The id of the push message.
   */
  get(id: string, options?: RequestOptions): Promise<PushMessage> {
    return this.call('GET', path`/v2/push/messages/${id}`, {}, options);
  }

  /**
   * List the devices of a push message
   *
   * They are kept for 180 days; the counts of the message stay.
   *
   * Scope: `push:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the push message.
   */
  listDispatches(id: string, query?: PushListDispatchesQuery, options?: RequestOptions): Pages<PushDispatchPage, PushDispatch> {
    return this.byCursor(path`/v2/push/messages/${id}/dispatches`, query, options);
  }

  /**
   * Count and price an audience without sending
   *
   * Scope: `push:read`.
   */
  preview(body: PreviewPush, options?: RequestOptions): Promise<PushPreview> {
    return this.call('POST', '/v2/push/preview', { body }, options);
  }

  /**
   * List the apps, oldest first
   *
   * Scope: `push:read`.
   */
  listApps(options?: RequestOptions): Promise<PushAppList> {
    return this.call('GET', '/v2/push/apps', {}, options);
  }

  /**
   * Register an app with its push credentials
   *
   * Each platform needs credentials of its own: FCM for android, APNs for ios, VAPID for web. They are stored sealed and never shown. The sandbox needs none. At most 50 apps.
   *
   * Scope: `push:send`.
   */
  createApp(body: CreatePushApp, options?: RequestOptions): Promise<PushApp> {
    return this.call('POST', '/v2/push/apps', { body }, options);
  }

  /**
   * Read an app
   *
   * Scope: `push:read`.
   *
   * @param id The id of the app.
   */
  getApp(id: string, options?: RequestOptions): Promise<PushApp> {
    return this.call('GET', path`/v2/push/apps/${id}`, {}, options);
  }

  /**
   * Change an app's name or credentials
   *
   * Absent fields stay; null removes a platform's credentials. Sends use new ones at once.
   *
   * Scope: `push:send`.
   *
   * @param id The id of the app.
   */
  changeApp(id: string, body?: ChangePushApp, options?: RequestOptions): Promise<PushApp> {
    return this.call('PATCH', path`/v2/push/apps/${id}`, { body }, options);
  }

  /**
   * Delete an app and its credentials
   *
   * Its devices are excluded from all sends, including queued ones, and are not charged.
   *
   * Scope: `push:send`.
   *
   * @param id The id of the app.
   */
  deleteApp(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/push/apps/${id}`, {}, options);
  }

  /**
   * Register or refresh a device
   *
   * Call it each time the app opens: it is idempotent per app and token. Omitted identification keeps its stored value, unless `contactId` differs from the stored one: then the former person's identification is deleted. A test key stores the device in the sandbox, where it receives sandbox pushes only; there the last four characters of the token determine the result of a push: 0006 and 0013 unreachable, 0008 a dead token, 0018 blocked, 0114 a push service without credit, any other delivered.
   *
   * Scope: `push:send`.
   */
  registerToken(body: RegisterPushToken, options?: RequestOptions): Promise<PushDevice> {
    return this.call('POST', '/v2/push/tokens', { body }, options);
  }

  /**
   * Opt a device out of further sends
   *
   * The device's row is kept. Registering the device again with `optedIn: true` reverts it.
   *
   * Scope: `push:send`.
   */
  optOutToken(body: OptOutPushToken, options?: RequestOptions): Promise<PushDevice> {
    return this.call('POST', '/v2/push/tokens/opt-out', { body }, options);
  }
}

export class MediaOperations extends Resource {
  /**
   * Upload media as base64
   *
   * The file is uploaded to Meta, which keeps it for about 30 days. Maximum sizes: 5 MB for images (JPEG, PNG), 16 MB for audio (AAC, AMR, MP3, MP4, Ogg/Opus) and video (MP4, 3GP), 105,000,000 bytes for documents (PDF, Office, plain text), 100 KB for static and 500 KB for animated WebP stickers: 413 beyond that, 415 for every other type. The type is detected from the bytes.
   *
   * Bodies up to 6 MB are always accepted, the full size if a container serves the path; elsewhere upload larger files by `POST /numbers/{numberId}/media/uploads`. Invalid base64 is 422 with the position. The raw form, `POST /numbers/{numberId}/media/binary`, is a third smaller.
   *
   * Scope: `messages:send`.
   *
   * @param numberId The id of the number that the file will be sent from.
   */
  upload(numberId: string, body: UploadMedia, options?: RequestOptions): Promise<MediaUploadResult> {
    return this.call('POST', path`/numbers/${numberId}/media`, { body }, options);
  }

  /**
   * Upload media as bytes
   *
   * The file is uploaded to Meta, which keeps it for about 30 days. Maximum sizes: 5 MB for images (JPEG, PNG), 16 MB for audio (AAC, AMR, MP3, MP4, Ogg/Opus) and video (MP4, 3GP), 105,000,000 bytes for documents (PDF, Office, plain text), 100 KB for static and 500 KB for animated WebP stickers: 413 beyond that, 415 for every other type. The type is detected from the bytes.
   *
   * Bodies up to 6 MB are always accepted, the full size if a container serves the path; elsewhere upload larger files by `POST /numbers/{numberId}/media/uploads`. The name is given in the query or, percent-encoded, in the header `x-filename`. The body is the file itself, with one of the content types listed below: a multipart form is 415, and so is a body without a content type.
   *
   * Scope: `messages:send`.
   *
   * @param numberId The id of the number that the file will be sent from.
   */
  uploadBinary(numberId: string, body: Binary<'application/octet-stream' | 'audio/aac' | 'audio/amr' | 'audio/mp4' | 'audio/mpeg' | 'audio/ogg' | 'image/jpeg' | 'image/png' | 'image/webp' | 'video/3gpp' | 'video/mp4' | 'application/msword' | 'application/pdf' | 'application/vnd.ms-excel' | 'application/vnd.ms-powerpoint' | 'application/vnd.openxmlformats-officedocument.presentationml.presentation' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' | 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' | 'text/plain' | 'audio/m4a' | 'audio/mp3' | 'audio/opus' | 'audio/x-aac' | 'audio/x-m4a' | 'image/jpg' | 'video/3gp'>, query?: MediaUploadBinaryQuery, options?: RequestOptions): Promise<MediaUploadResult> {
    return this.call('POST', path`/numbers/${numberId}/media/binary`, { binary: body, query }, options);
  }

  /**
   * Start an upload that bypasses the gateway
   *
   * Returns a URL to upload the bytes to, up to the full size of every type. Then call `POST /numbers/{numberId}/media/uploads/{uploadId}/complete`. An upload that is not completed within an hour is deleted. 413 for a size beyond the limit of the type, 415 for a type that Meta does not accept.
   *
   * Scope: `messages:send`.
   *
   * @param numberId The id of the number that the file will be sent from.
   */
  beginUpload(numberId: string, body: BeginMediaUpload, options?: RequestOptions): Promise<MediaUploadAddress> {
    return this.call('POST', path`/numbers/${numberId}/media/uploads`, { body }, options);
  }

  /**
   * Complete an upload that bypassed the gateway
   *
   * Uploads the bytes to Meta. A repeat returns the same result. 409 if nothing was uploaded; 422 if the bytes do not match the declared upload, which is then deleted: start another; 404 once the upload has expired.
   *
   * Scope: `messages:send`.
   *
   * @param numberId The id of the number that the file will be sent from.
   * @param uploadId The id of the upload.
   */
  completeUpload(numberId: string, uploadId: string, options?: RequestOptions): Promise<MediaUploadResult> {
    return this.call('POST', path`/numbers/${numberId}/media/uploads/${uploadId}/complete`, {}, options);
  }
}

export class ContactsOperations extends Resource {
  /**
   * Create a contact
   *
   * A phone and an externalId belong to one contact of the environment: a duplicate is 409 with `meta.code` TELEFONE_JA_CADASTRADO or EXTERNAL_ID_JA_CADASTRADO, `meta.field`, and `meta.contactId` of the contact that has it; without pii:full at most a burst of 60 and one more each second for a phone, then 429. `cpf`, `cnpj` and `nascimento` are stored encrypted. Raises contact.created.
   *
   * Scope: `contacts:write`.
   */
  create(body: CreateContact, options?: RequestOptions): Promise<Contact> {
    return this.call('POST', '/contacts', { body }, options);
  }

  /**
   * List contacts, newest first
   *
   * Filters are combined: a contact must meet all of them. `q` searches in the name, the WhatsApp name, the e-mail address and the phone (by its digits), ignoring case and accents; one or two characters match beginnings of words. It needs the scope pii:full; without it, `q` is ignored and a warning says so. A page ends early if its contacts are more than an answer can hold: the next begins at `skip` plus the number of items.
   *
   * Scope: `contacts:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: ContactsListQuery, options?: RequestOptions): Pages<ContactPage, Contact> {
    return this.bySkip('/contacts', query, options);
  }

  /**
   * Read a contact
   *
   * With its documents, masked for every caller.
   *
   * Scope: `contacts:read`.
   *
   * @param id The id of the contact.
   */
  get(id: string, options?: RequestOptions): Promise<ContactRead> {
    return this.call('GET', path`/contacts/${id}`, {}, options);
  }

  /**
   * Change a contact
   *
   * JSON Merge Patch: absent fields stay, null clears. `attributes` and `externalIds` are merged by their keys, where null removes one; `tags` and `debtorGroups` are replaced as a whole. The rules are those of a new contact. Consent can only be changed by opt-out and opt-in; a new phone that had opted out makes the contact opted out, and raises contact.opted_out. 409 if another contact has the phone or externalId, with the `meta` of a creation. A change that changes nothing leaves `updatedAt` as it is.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the contact.
   */
  change(id: string, body?: ChangeContact, options?: RequestOptions): Promise<Contact> {
    return this.call('PATCH', path`/contacts/${id}`, { body }, options);
  }

  /**
   * Erase a contact
   *
   * Once this is answered, no read shows the contact, and its phone and externalId are free. In the background, within minutes, recipient and content of its messages are erased, messages waiting to be sent to it are cancelled, and the person is erased from received messages, turns, devices and the bodies of webhook deliveries. The prices of messages are kept. An opt-out is kept as a blind index, so that the person still gets no messages. The audit log records the start and, with counts, the end.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the contact.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/contacts/${id}`, {}, options);
  }

  /**
   * Record consent
   *
   * Stores the proof, and ends an earlier withdrawal. A repeat changes nothing: the first proof is kept.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the contact.
   */
  optIn(id: string, body: OptInContact, options?: RequestOptions): Promise<Contact> {
    return this.call('POST', path`/contacts/${id}/opt-in`, { body }, options);
  }

  /**
   * Withdraw consent
   *
   * From this response on, sends to the contact or its phone are refused on every channel, except transactional SMS. Raises contact.opted_out; a repeat changes and raises nothing.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the contact.
   */
  optOut(id: string, body?: OptOutContact, options?: RequestOptions): Promise<Contact> {
    return this.call('POST', path`/contacts/${id}/opt-out`, { body }, options);
  }

  /**
   * Reveal a contact's documents
   *
   * In clear, only for a person in a session; every call that shows a document is recorded in the audit log before it is answered. At most 30 contacts a minute for a person, then 429.
   *
   * Only for a person in a session that has `contacts:pii`.
   *
   * @param id The id of the contact.
   */
  revealDocuments(id: string, body?: NoFields, options?: RequestOptions): Promise<RevealedDocuments> {
    return this.call('POST', path`/v2/contacts/${id}/documentos/revelar`, { body }, options);
  }

  /**
   * Find likely duplicates of a contact
   *
   * At most 20 contacts that have this one's e-mail address, or whose `externalId` is an id that this one has in a CRM. A phone belongs to one contact, so no two contacts share one. This operation merges nothing.
   *
   * Scope: `contacts:read`.
   *
   * @param id The id of the contact.
   */
  duplicates(id: string, options?: RequestOptions): Promise<LikelyDuplicates> {
    return this.call('GET', path`/contacts/${id}/duplicates`, {}, options);
  }

  /**
   * Merge a duplicate into a contact
   *
   * The contact's own values win, and missing ones come from the duplicate; tags and debts are combined, and a withdrawal of either wins. Once this is answered the duplicate's phone belongs to the contact; its messages, events, turns and devices are moved in the background, within minutes; lists by the contact have the duplicate's cards within seconds. A repeat answers the contact as it is. 422 names the fields of which both together have too many values. Raises contact.merged, and contact.opted_out if the merge opts the contact out.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the contact.
   */
  merge(id: string, body: MergeContact, options?: RequestOptions): Promise<ContactRead> {
    return this.call('POST', path`/contacts/${id}/merge`, { body }, options);
  }

  /**
   * List the changes of a contact's consent, newest first
   *
   * Each with its proof or its reason. The list ends where `nextCursor` is absent.
   *
   * Scope: `contacts:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the contact.
   */
  consents(id: string, query?: ContactsConsentsQuery, options?: RequestOptions): Pages<ConsentPage, ConsentChange> {
    return this.byCursor(path`/contacts/${id}/consents`, query, options);
  }

  /**
   * Export the data of a contact
   *
   * For a person who asks for their data: everything unmasked except documents, which are masked; also messages to and from its phone and address that named no contact. A page may have fewer items than `limit` and still a next one. The first page is recorded in the audit log. The export ends where `nextCursor` is absent.
   *
   * Scope: `pii:full`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the contact.
   */
  export(id: string, query?: ContactsExportQuery, options?: RequestOptions): Pages<ContactExport, ContactExport['items'][number]> {
    return this.byCursor(path`/contacts/${id}/export`, query, options);
  }

  /**
   * Import contacts
   *
   * Rows are processed in their order. A row matches its contact by its phone, else by its externalId. With `update` it changes the fields that it has, as a PATCH does, and records a withdrawal, or a consent if it was `unknown`; a consent never ends a withdrawal here. Repeating the call changes nothing more, so that an interrupted import can be repeated as a whole. A body of up to 6 MB. Raises contact.created and contact.opted_out. Without pii:full an answer that reveals existing contacts uses lookups, a burst of 60 and one more each second; on 429 the rows are imported nevertheless.
   *
   * Scope: `contacts:write`.
   */
  import(body: ImportContacts, options?: RequestOptions): Promise<ImportedContacts> {
    return this.call('POST', '/contacts/import', { body }, options);
  }

  /**
   * Read a contact's timeline, newest first
   *
   * The messages that named the contact, its inbound messages, the reported turns of assistants, and its customer events, each with its attribution. The list ends where `nextCursor` is absent.
   *
   * Scope: `contacts:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the contact.
   */
  timeline(id: string, query?: ContactsTimelineQuery, options?: RequestOptions): Pages<ContactTimeline, ContactTimelineStep> {
    return this.byCursor(path`/contacts/${id}/timeline`, query, options);
  }
}

export class ContactImportsOperations extends Resource {
  /**
   * List imports of files, newest first
   *
   * Without addresses; ended imports are kept for 30 days, imports without a file for 7.
   *
   * Scope: `contacts:write`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: ContactImportsListQuery, options?: RequestOptions): Pages<ContactImports, ContactImport> {
    return this.byCursor('/contacts/import/jobs', query, options);
  }

  /**
   * Create an import of a file
   *
   * Answers where to PUT the file; then start the import. At most 200 MB and 1,000,000 rows, a line at most 512 KB. CSV is UTF-8 with a header; comma, semicolon or tab separate its fields. NDJSON has one contact on each line, in the form of a new one.
   *
   * Scope: `contacts:write`.
   */
  create(body: CreateContactImport, options?: RequestOptions): Promise<ContactImport> {
    return this.call('POST', '/contacts/import/jobs', { body }, options);
  }

  /**
   * Read an import of a file
   *
   * With its progress, and with new addresses at each read.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the import.
   */
  get(id: string, options?: RequestOptions): Promise<ContactImport> {
    return this.call('GET', path`/contacts/import/jobs/${id}`, {}, options);
  }

  /**
   * Cancel an import of a file
   *
   * Imported rows are kept. A running import is `cancelling` until the rows that are being stored are counted. 409 for an import with another end.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the import.
   */
  cancel(id: string, options?: RequestOptions): Promise<ContactImport> {
    return this.call('POST', path`/contacts/import/jobs/${id}/cancel`, {}, options);
  }

  /**
   * Start an import whose file was uploaded
   *
   * It runs in the background; rows are imported as by `POST /contacts/import`. One import of an organization runs at a time: 409 with `meta.jobId` while another runs. A repeat answers the import as it is. Raises import.completed at the end, contact.created and contact.opted_out during the import. Without pii:full it counts as 60 lookups, since its figures reveal existing contacts; then 429.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the import.
   */
  start(id: string, options?: RequestOptions): Promise<ContactImport> {
    return this.call('POST', path`/contacts/import/jobs/${id}/start`, {}, options);
  }
}

export class CompaniesOperations extends Resource {
  /**
   * List companies, by name
   *
   * In alphabetical order of their names, ignoring case and accents. `total` counts all matches.
   *
   * Scope: `crm:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: CompaniesListQuery, options?: RequestOptions): Pages<CompanyPage, CompanyItem> {
    return this.bySkip('/v2/companies', query, options);
  }

  /**
   * Create a company
   *
   * A CNPJ that another company has is 409 with `meta.code` CNPJ_JA_CADASTRADO; companies without one may have equal names. Raises company.created.
   *
   * Scope: `crm:write`.
   */
  create(body: CreateCompany, options?: RequestOptions): Promise<Company> {
    return this.call('POST', '/v2/companies', { body }, options);
  }

  /**
   * Import companies
   *
   * Rows are processed in their order. A row changes the company that has its CNPJ or, for a row without one, its exact name, and only the fields that it has; other rows create. A row without a CNPJ whose name several companies have is an error. Repeating the call changes nothing more. Raises company.created and company.updated.
   *
   * Scope: `crm:write`.
   */
  import(body: ImportCompanies, options?: RequestOptions): Promise<ImportedCompanies> {
    return this.call('POST', '/v2/companies/import', { body }, options);
  }

  /**
   * Read a company
   *
   * With all of its counts.
   *
   * Scope: `crm:read`.
   *
   * @param id The id of the company.
   */
  get(id: string, options?: RequestOptions): Promise<Company> {
    return this.call('GET', path`/v2/companies/${id}`, {}, options);
  }

  /**
   * Change a company
   *
   * JSON Merge Patch: absent fields stay, null clears; `atributos` replaces all previous ones. `responsavelId` and `contatoPrincipalId` are checked only if they change. Raises company.updated if anything changed.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the company.
   */
  change(id: string, body?: ChangeCompany, options?: RequestOptions): Promise<Company> {
    return this.call('PATCH', path`/v2/companies/${id}`, { body }, options);
  }

  /**
   * Delete a company
   *
   * Permanent. Its contacts and deals stay, without the company, and contacts without their role in it: once this is answered no read shows it. Raises company.deleted.
   *
   * Scope: `crm:delete`.
   *
   * @param id The id of the company.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/companies/${id}`, {}, options);
  }

  /**
   * List a company's contacts
   *
   * In the order of their last inbound messages, latest first. A page ends early if its contacts are more than an answer can hold: the next begins at `skip` plus the number of items.
   *
   * Scope: `contacts:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the company.
   */
  contacts(id: string, query?: CompaniesContactsQuery, options?: RequestOptions): Pages<CompanyContactPage, Contact> {
    return this.bySkip(path`/v2/companies/${id}/contacts`, query, options);
  }

  /**
   * List the messages of a company's contacts, newest first
   *
   * To and from the 50 contacts that wrote last, of the last days.
   *
   * Scope: `messages:read`.
   *
   * @param id The id of the company.
   */
  messages(id: string, query?: CompaniesMessagesQuery, options?: RequestOptions): Promise<CompanyMessages> {
    return this.call('GET', path`/v2/companies/${id}/messages`, { query }, options);
  }

  /**
   * Read the definitions of companies' attributes
   *
   * Separate from those of contacts.
   *
   * Scope: `crm:read`.
   */
  getAttributes(options?: RequestOptions): Promise<CompanyAttributeDefinitions> {
    return this.call('GET', '/v2/organizations/me/company-attribute-defs', {}, options);
  }

  /**
   * Replace the definitions of companies' attributes
   *
   * As a whole: a key that is left out is removed. Stored companies are not changed; the definitions apply to later writes. A property that looks like a document, a password, a card or a token can be neither removed nor relabelled while companies hold values of it: 409 with `meta.code` PROPRIEDADE_SENSIVEL_EM_USO; 503 if that cannot be checked within 5 s.
   *
   * Scope: `crm:write`.
   */
  setAttributes(body: SetCompanyAttributes, options?: RequestOptions): Promise<CompanyAttributeDefinitions> {
    return this.call('PUT', '/v2/organizations/me/company-attribute-defs', { body }, options);
  }
}

export class SegmentsOperations extends Resource {
  /**
   * List segments, newest first
   *
   * With their sizes.
   *
   * Scope: `contacts:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: SegmentsListQuery, options?: RequestOptions): Pages<SegmentPage, Segment> {
    return this.bySkip('/v2/segments', query, options);
  }

  /**
   * Create a segment
   *
   * A name that another segment has is 409 with `meta.segmentId`. `filterTree` takes precedence over `filters`. An organization has at most 200 segments.
   *
   * Scope: `contacts:write`.
   */
  create(body: CreateSegment, options?: RequestOptions): Promise<Segment> {
    return this.call('POST', '/v2/segments', { body }, options);
  }

  /**
   * Count the contacts that match filters
   *
   * Saves nothing.
   *
   * Scope: `contacts:read`.
   */
  preview(body: PreviewSegment, options?: RequestOptions): Promise<SegmentPreview> {
    return this.call('POST', '/v2/segments/preview', { body }, options);
  }

  /**
   * Read a segment
   *
   * With its size.
   *
   * Scope: `contacts:read`.
   *
   * @param segmentId The id of the segment.
   */
  get(segmentId: string, options?: RequestOptions): Promise<Segment> {
    return this.call('GET', path`/v2/segments/${segmentId}`, {}, options);
  }

  /**
   * Change a segment
   *
   * Absent fields stay; null clears `description` and `filterTree`. A stored `filterTree` takes precedence over new `filters`, too.
   *
   * Scope: `contacts:write`.
   *
   * @param segmentId The id of the segment.
   */
  update(segmentId: string, body?: UpdateSegment, options?: RequestOptions): Promise<Segment> {
    return this.call('PATCH', path`/v2/segments/${segmentId}`, { body }, options);
  }

  /**
   * Delete a segment
   *
   * Permanent. Its contacts are not deleted.
   *
   * Scope: `contacts:write`.
   *
   * @param segmentId The id of the segment.
   */
  delete(segmentId: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/segments/${segmentId}`, {}, options);
  }

  /**
   * List a segment's contacts, newest first
   *
   * By cursor: a contact that enters or leaves between two pages makes no other contact appear twice or be missed.
   *
   * Scope: `contacts:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param segmentId The id of the segment.
   */
  contacts(segmentId: string, query?: SegmentsContactsQuery, options?: RequestOptions): Pages<SegmentContactPage, Contact> {
    return this.byCursor(path`/v2/segments/${segmentId}/contacts`, query, options);
  }

  /**
   * Why a contact is in a segment, or not
   *
   * Condition by condition, from left to right.
   *
   * Scope: `contacts:read`.
   *
   * @param segmentId The id of the segment.
   * @param contactId The id of the contact.
   */
  explain(segmentId: string, contactId: string, options?: RequestOptions): Promise<SegmentExplanation> {
    return this.call('GET', path`/v2/segments/${segmentId}/contacts/${contactId}`, {}, options);
  }
}

export class ListsOperations extends Resource {
  /**
   * List static lists, newest first
   *
   * All of them: an organization has at most 1,000.
   *
   * Scope: `contacts:read`.
   */
  all(options?: RequestOptions): Promise<StaticLists> {
    return this.call('GET', '/v2/lists', {}, options);
  }

  /**
   * Create a static list
   *
   * Empty at first. A name that another list has, in whatever case, is 409 with its id in `meta.listId`; so is a list above the maximum of an organization.
   *
   * Scope: `contacts:write`.
   */
  create(body: CreateList, options?: RequestOptions): Promise<StaticList> {
    return this.call('POST', '/v2/lists', { body }, options);
  }

  /**
   * Read a static list
   *
   * Scope: `contacts:read`.
   *
   * @param id The id of the list.
   */
  get(id: string, options?: RequestOptions): Promise<StaticList> {
    return this.call('GET', path`/v2/lists/${id}`, {}, options);
  }

  /**
   * Change a static list
   *
   * JSON Merge Patch: absent fields stay, `description: null` clears. Its members do not change.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the list.
   */
  change(id: string, body?: ChangeList, options?: RequestOptions): Promise<StaticList> {
    return this.call('PATCH', path`/v2/lists/${id}`, { body }, options);
  }

  /**
   * Delete a static list
   *
   * Its contacts stay. Its name can be used again.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the list.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/lists/${id}`, {}, options);
  }

  /**
   * Add contacts to a list
   *
   * Existing members stay. Contacts that do not exist are not created: import them first. All are added at once, or none. Without pii:full at most 60 phones a minute are counted, each call as 60 at most; then 429.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the list.
   */
  addMembers(id: string, body?: ListMembers, options?: RequestOptions): Promise<ListMembership> {
    return this.call('POST', path`/v2/lists/${id}/members`, { body }, options);
  }

  /**
   * Replace the members of a list
   *
   * The named contacts are added, all others are removed, atomically. If no identifier names a contact it is 422 and the list is not changed: to empty a list, remove its members. Without pii:full at most 60 phones a minute are counted, each call as 60 at most; then 429.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the list.
   */
  replaceMembers(id: string, body?: ListMembers, options?: RequestOptions): Promise<ListMembership> {
    return this.call('PUT', path`/v2/lists/${id}/members`, { body }, options);
  }

  /**
   * Remove contacts from a list
   *
   * The contacts themselves are not deleted. All are removed at once, or none. Without pii:full at most 60 phones a minute are counted, each call as 60 at most; then 429.
   *
   * Scope: `contacts:write`.
   *
   * @param id The id of the list.
   */
  removeMembers(id: string, body?: ListMembers, options?: RequestOptions): Promise<ListMembership> {
    return this.call('POST', path`/v2/lists/${id}/members/remove`, { body }, options);
  }
}

export class JourneysOperations extends Resource {
  /**
   * List the journeys that are not archived, newest first
   *
   * All versions, without their steps. There are at most 200.
   *
   * Scope: `campaigns:read`.
   */
  list(options?: RequestOptions): Promise<JourneyList> {
    return this.call('GET', '/v2/journeys', {}, options);
  }

  /**
   * Create a journey
   *
   * As a draft, which accepts no entries. 422 lists all of its faults, by field: repeated keys, links to steps that do not exist, steps that are not reached, a cycle without a wait, lists, segments, templates and pipelines that do not exist, more than 1,000,000 bytes of steps and links. 409 beyond 200 journeys that are not archived.
   *
   * Scope: `campaigns:write`.
   */
  create(body: CreateJourney, options?: RequestOptions): Promise<DefinedJourney> {
    return this.call('POST', '/v2/journeys', { body }, options);
  }

  /**
   * Read a version of a journey with its steps
   *
   * Scope: `campaigns:read`.
   *
   * @param id The id of a version of the journey.
   */
  get(id: string, options?: RequestOptions): Promise<Journey> {
    return this.call('GET', path`/v2/journeys/${id}`, {}, options);
  }

  /**
   * Change a draft, or make one of the next version
   *
   * JSON Merge Patch; `passos`, `ligacoes` and objects, such as `gatilho`, are replaced as a whole. A draft is changed: 200. For an active or paused version a draft of the next version is created, and the version itself is not changed: 201. 409 with `meta.code` RASCUNHO_EXISTENTE if there is such a draft already, VERSAO_SUBSTITUIDA for a version that was replaced, each with the version to change as `meta.journeyId`; 409 for an archived one.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of a version of the journey.
   */
  change(id: string, body?: ChangeJourney, options?: RequestOptions): Promise<DefinedJourney> {
    return this.call('PATCH', path`/v2/journeys/${id}`, { body }, options);
  }

  /**
   * Delete a draft
   *
   * 409 for any other version: archive it.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of a version of the journey.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/journeys/${id}`, {}, options);
  }

  /**
   * Activate a draft, or resume a paused version
   *
   * A draft replaces the running version: that one accepts no more entries, and its runs finish on its own steps. Checks again the objects that the journey names, and that it can send: 422 by field for a template that is not approved, no connected number, no push app, no verified sender. May be repeated.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of a version of the journey.
   */
  activate(id: string, body?: ActivateJourney, options?: RequestOptions): Promise<Journey> {
    return this.call('POST', path`/v2/journeys/${id}/activate`, { body }, options);
  }

  /**
   * Archive a version permanently
   *
   * No contact enters, and its runs are cancelled, in the background. It can still be read. May be repeated.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of a version of the journey.
   */
  archive(id: string, options?: RequestOptions): Promise<Journey> {
    return this.call('POST', path`/v2/journeys/${id}/archive`, {}, options);
  }

  /**
   * Pause an active version
   *
   * No contact enters, and every run stays at its step, with the remaining time of its waits. May be repeated; 409 for a draft and an archived version.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of a version of the journey.
   */
  pause(id: string, options?: RequestOptions): Promise<Journey> {
    return this.call('POST', path`/v2/journeys/${id}/pause`, {}, options);
  }

  /**
   * Rotate the signing secret of a journey's webhook steps
   *
   * For all versions. Until the overlap ends, posts are signed with both secrets. 409 for a journey that never had a webhook step, 403 for one that posts contacts in full, if the caller may not see them in full.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of a version of the journey.
   */
  rotateSecret(id: string, body?: RotateJourneySecret, options?: RequestOptions): Promise<RotatedJourneySecret> {
    return this.call('POST', path`/v2/journeys/${id}/rotate-secret`, { body }, options);
  }

  /**
   * Let contacts into a journey
   *
   * Into an active version whose trigger is `manual`. The answer has the run of each contact, or the reason why it did not enter: a contact that may not enter does not affect the others. A contact has one active run in all versions of a journey together. 409 for a version that accepts no entries now, or has another trigger.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of a version of the journey.
   */
  enter(id: string, body: EnterJourney, options?: RequestOptions): Promise<JourneyEntries> {
    return this.call('POST', path`/v2/journeys/${id}/entries`, { body }, options);
  }

  /**
   * Read the results of a version
   *
   * Counted in real time; it costs one read however many runs there are.
   *
   * Scope: `campaigns:read`.
   *
   * @param id The id of a version of the journey.
   */
  metrics(id: string, options?: RequestOptions): Promise<JourneyMetrics> {
    return this.call('GET', path`/v2/journeys/${id}/metrics`, {}, options);
  }

  /**
   * List the runs of a version, newest first
   *
   * A page may have fewer runs than `limit` and still a next one; it ends before 5,000,000 bytes.
   *
   * Scope: `campaigns:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of a version of the journey.
   */
  runs(id: string, query?: JourneysRunsQuery, options?: RequestOptions): Pages<JourneyRunPage, JourneyRun> {
    return this.byCursor(path`/v2/journeys/${id}/runs`, query, options);
  }

  /**
   * Read a run with its history
   *
   * A long history is paged, with 1,000 visits if `limit` is absent.
   *
   * Scope: `campaigns:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of a version of the journey.
   * @param runId The id of the run.
   */
  run(id: string, runId: string, query?: JourneysRunQuery, options?: RequestOptions): Pages<JourneyRunWithHistory, JourneyRunWithHistory['historico'][number]> {
    return this.byCursor(path`/v2/journeys/${id}/runs/${runId}`, query, options, 'historico');
  }

  /**
   * Cancel a run
   *
   * It stops at its step; messages that were sent are not affected. May be repeated; 409 for a run with another end. Answers the first page of its history.
   *
   * Scope: `campaigns:write`.
   *
   * @param id The id of a version of the journey.
   * @param runId The id of the run.
   */
  cancelRun(id: string, runId: string, options?: RequestOptions): Promise<JourneyRunWithHistory> {
    return this.call('POST', path`/v2/journeys/${id}/runs/${runId}/cancel`, {}, options);
  }

  /**
   * Simulate a version of a journey for a contact
   *
   * On a clock of its own: every step with its time, each message as it would be sent and its current price, and the end. Nothing is stored, sent or charged. Without pii:full the phone and the e-mail address of the contact are masked in texts.
   *
   * Scope: `campaigns:read`.
   *
   * @param id The id of a version of the journey.
   */
  simulate(id: string, body: SimulateJourney, options?: RequestOptions): Promise<JourneySimulation> {
    return this.call('POST', path`/v2/journeys/${id}/simulate`, { body }, options);
  }
}

export class ActivitiesOperations extends Resource {
  /**
   * List activities, by when they are due
   *
   * Filters may be combined. Activities without a due time come last, by their creation; with `de` or `ate` they are left out.
   *
   * Scope: `crm:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: ActivitiesListQuery, options?: RequestOptions): Pages<ActivityPage, Activity> {
    return this.bySkip('/activities', query, options);
  }

  /**
   * Create an activity
   *
   * With `venceEm`, activity.due is raised then, and `lembreteMinutos` before it. A link to an object that does not exist, or to an account that is not active, is 422 with `meta.code` VINCULO_INVALIDO, which names the field.
   *
   * Scope: `crm:write`.
   */
  create(body: CreateActivity, options?: RequestOptions): Promise<Activity> {
    return this.call('POST', '/activities', { body }, options);
  }

  /**
   * Read an activity
   *
   * Scope: `crm:read`.
   *
   * @param id The id of the activity.
   */
  get(id: string, options?: RequestOptions): Promise<Activity> {
    return this.call('GET', path`/activities/${id}`, {}, options);
  }

  /**
   * Change an activity
   *
   * Absent fields stay; null clears. After a change of `venceEm` or `lembreteMinutos` activity.due is raised again; `concluida: false` reopens. A link to an object that does not exist, or to an account that is not active, is 422 with `meta.code` VINCULO_INVALIDO, which names the field.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the activity.
   */
  change(id: string, body?: ChangeActivity, options?: RequestOptions): Promise<Activity> {
    return this.call('PATCH', path`/activities/${id}`, { body }, options);
  }

  /**
   * Delete an activity
   *
   * For good.
   *
   * Scope: `crm:delete`.
   *
   * @param id The id of the activity.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/activities/${id}`, {}, options);
  }

  /**
   * Complete an activity
   *
   * No more events are raised for it. A repeat answers it as it is.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the activity.
   */
  complete(id: string, body?: CompleteActivity, options?: RequestOptions): Promise<Activity> {
    return this.call('POST', path`/activities/${id}/complete`, { body }, options);
  }
}

export class PipelinesOperations extends Resource {
  /**
   * List pipelines, newest first
   *
   * An organization has at most 50.
   *
   * Scope: `crm:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: PipelinesListQuery, options?: RequestOptions): Pages<PipelinePage, Pipeline> {
    return this.bySkip('/pipelines', query, options);
  }

  /**
   * Create a pipeline
   *
   * Without `estagios` it has Novo, Qualificação, Proposta, Negociação, Ganho and Perdido. Kinds other than `vendas` are 422 with `meta.code` TIPO_AINDA_NAO_DISPONIVEL.
   *
   * Scope: `crm:write`.
   */
  create(body: CreatePipeline, options?: RequestOptions): Promise<Pipeline> {
    return this.call('POST', '/pipelines', { body }, options);
  }

  /**
   * Read a pipeline
   *
   * Scope: `crm:read`.
   *
   * @param id The id of the pipeline.
   */
  get(id: string, options?: RequestOptions): Promise<Pipeline> {
    return this.call('GET', path`/pipelines/${id}`, {}, options);
  }

  /**
   * Rename a pipeline
   *
   * Its kind cannot be changed; its stages have operations of their own.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the pipeline.
   */
  change(id: string, body?: ChangePipeline, options?: RequestOptions): Promise<Pipeline> {
    return this.call('PATCH', path`/pipelines/${id}`, { body }, options);
  }

  /**
   * Delete a pipeline
   *
   * With cards it is 409 with `meta.code` POSSUI_CARTOES.
   *
   * Scope: `crm:delete`.
   *
   * @param id The id of the pipeline.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/pipelines/${id}`, {}, options);
  }

  /**
   * Archive a pipeline
   *
   * It accepts no new cards and no moves, can be read as before, and is listed with `includeArchived`.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the pipeline.
   */
  archive(id: string, options?: RequestOptions): Promise<Pipeline> {
    return this.call('POST', path`/pipelines/${id}/archive`, {}, options);
  }

  /**
   * Read the forecast of the open cards of a pipeline
   *
   * By stage and currency; computed from exact counters, at the same cost whatever the number of cards.
   *
   * Scope: `crm:read`.
   *
   * @param id The id of the pipeline.
   */
  forecast(id: string, options?: RequestOptions): Promise<PipelineForecast> {
    return this.call('GET', path`/pipelines/${id}/forecast`, {}, options);
  }

  /**
   * Add a stage
   *
   * At the end. A pipeline has at most 20.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the pipeline.
   */
  addStage(id: string, body: CreateStage, options?: RequestOptions): Promise<Stage> {
    return this.call('POST', path`/pipelines/${id}/stages`, { body }, options);
  }

  /**
   * Reorder the stages
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the pipeline.
   */
  orderStages(id: string, body: OrderStages, options?: RequestOptions): Promise<Pipeline> {
    return this.call('PUT', path`/pipelines/${id}/stages/order`, { body }, options);
  }

  /**
   * Change a stage
   *
   * JSON Merge Patch. Its `tipo` can be changed only while it has no cards. With cards it is 409 with `meta.code` POSSUI_CARTOES. A new `tempoMaximoDias` applies to the cards in it, which are checked again; new `camposObrigatorios` to those that enter from now on.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the pipeline.
   * @param stageId The id of the stage.
   */
  changeStage(id: string, stageId: string, body?: ChangeStage, options?: RequestOptions): Promise<Stage> {
    return this.call('PATCH', path`/pipelines/${id}/stages/${stageId}`, { body }, options);
  }

  /**
   * Delete a stage
   *
   * With cards it is 409 with `meta.code` POSSUI_CARTOES. So is the last open stage, without that code.
   *
   * Scope: `crm:delete`.
   *
   * @param id The id of the pipeline.
   * @param stageId The id of the stage.
   */
  deleteStage(id: string, stageId: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/pipelines/${id}/stages/${stageId}`, {}, options);
  }

  /**
   * Unarchive a pipeline
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the pipeline.
   */
  unarchive(id: string, options?: RequestOptions): Promise<Pipeline> {
    return this.call('POST', path`/pipelines/${id}/unarchive`, {}, options);
  }

  /**
   * Read a pipeline's board
   *
   * Its stages in their order, each with its first cards. A stage may have fewer than `limit` if all would exceed the size of an answer: its `nextCursor` continues.
   *
   * Scope: `crm:read`.
   *
   * @param id The id of the pipeline.
   */
  board(id: string, query?: PipelinesBoardQuery, options?: RequestOptions): Promise<Board> {
    return this.call('GET', path`/pipelines/${id}/board`, { query }, options);
  }

  /**
   * List a stage's cards, in the order of the board
   *
   * Pages by cursor; the `nextCursor` of a stage on the board is one too.
   *
   * Scope: `crm:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the pipeline.
   * @param stageId The id of the stage.
   */
  stageCards(id: string, stageId: string, query?: PipelinesStageCardsQuery, options?: RequestOptions): Pages<StageCards, Card> {
    return this.byCursor(path`/pipelines/${id}/stages/${stageId}/cards`, query, options);
  }
}

export class CardsOperations extends Resource {
  /**
   * List cards, newest first
   *
   * With `estagioId`: in the order of the board. Filters may be combined.
   *
   * Scope: `crm:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: CardsListQuery, options?: RequestOptions): Pages<CardPage, Card> {
    return this.bySkip('/cards', query, options);
  }

  /**
   * Create a card
   *
   * At the end of its stage; in one of tipo ganho or perdido it is won or lost. If the card lacks fields of the stage's `camposObrigatorios`, the answer is 422, with one error for each field. A contact, company or account that does not exist or is not active is 422 with `meta.code` VINCULO_INVALIDO. Archived pipelines take no cards: 409 with `meta.code` PIPELINE_ARQUIVADO. Raises card.created.
   *
   * Scope: `crm:write`.
   */
  create(body: CreateCard, options?: RequestOptions): Promise<Card> {
    return this.call('POST', '/cards', { body }, options);
  }

  /**
   * Import cards
   *
   * A row with an `id` changes that card as a PATCH does, and moves it to the end of `estagioId`, even if it is there already; any other row creates a card as `POST /cards` does. Cards are placed at the end of their stages in the order of the rows. Valid rows are stored even if others fail. Rows without an `id` that are sent again create cards again. If the card lacks fields of the stage's `camposObrigatorios`, the answer is 422, with one error for each field.
   *
   * Scope: `crm:write`.
   */
  import(body: ImportCards, options?: RequestOptions): Promise<ImportedCards> {
    return this.call('POST', '/cards/import', { body }, options);
  }

  /**
   * Read a card
   *
   * Scope: `crm:read`.
   *
   * @param id The id of the card.
   */
  get(id: string, options?: RequestOptions): Promise<Card> {
    return this.call('GET', path`/cards/${id}`, {}, options);
  }

  /**
   * Change a card
   *
   * JSON Merge Patch, except that `atributos`, when sent, replaces all previous ones. Links are checked only when they change. `motivoPerda` only for a lost card.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the card.
   */
  change(id: string, body?: ChangeCard, options?: RequestOptions): Promise<Card> {
    return this.call('PATCH', path`/cards/${id}`, { body }, options);
  }

  /**
   * Delete a card
   *
   * Permanently, with its history and files.
   *
   * Scope: `crm:delete`.
   *
   * @param id The id of the card.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/cards/${id}`, {}, options);
  }

  /**
   * Read a card's history, newest first
   *
   * Who created, changed, moved, won, lost and reopened it, and when it was found `parado`.
   *
   * Scope: `crm:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the card.
   */
  history(id: string, query?: CardsHistoryQuery, options?: RequestOptions): Pages<CardHistory, CardHistory['items'][number]> {
    return this.byCursor(path`/cards/${id}/history`, query, options);
  }

  /**
   * Mark a card as lost
   *
   * It goes to the pipeline's first stage of tipo perdido, or stays in its stage if there is none. A card that is already won or lost is 409. Archived pipelines take no cards: 409 with `meta.code` PIPELINE_ARQUIVADO.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the card.
   */
  lost(id: string, body: LoseCard, options?: RequestOptions): Promise<Card> {
    return this.call('POST', path`/cards/${id}/lost`, { body }, options);
  }

  /**
   * Move a card
   *
   * To the end of a stage, or beside another card of it. A stage of tipo ganho or perdido makes it won or lost, the latter with `motivoPerda`; an open one opens it again. If the card lacks fields of the stage's `camposObrigatorios`, the answer is 422, with one error for each field. Archived pipelines take no cards: 409 with `meta.code` PIPELINE_ARQUIVADO. Raises card.moved, card.won and card.lost.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the card.
   */
  move(id: string, body: MoveCard, options?: RequestOptions): Promise<Card> {
    return this.call('POST', path`/cards/${id}/move`, { body }, options);
  }

  /**
   * Open a won or lost card again
   *
   * In the open stage that it came from, unless another is given. An open card is 409. If the card lacks fields of the stage's `camposObrigatorios`, the answer is 422, with one error for each field. Archived pipelines take no cards: 409 with `meta.code` PIPELINE_ARQUIVADO.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the card.
   */
  reopen(id: string, body?: ReopenCard, options?: RequestOptions): Promise<Card> {
    return this.call('POST', path`/cards/${id}/reopen`, { body }, options);
  }

  /**
   * Mark a card as won
   *
   * It goes to the pipeline's first stage of tipo ganho, or stays in its stage if there is none. A card that is already won or lost is 409. Archived pipelines take no cards: 409 with `meta.code` PIPELINE_ARQUIVADO.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the card.
   */
  won(id: string, body?: WinCard, options?: RequestOptions): Promise<Card> {
    return this.call('POST', path`/cards/${id}/won`, { body }, options);
  }

  /**
   * List a contact's cards, newest first
   *
   * Scope: `crm:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the contact.
   */
  ofContact(id: string, query?: CardsOfContactQuery, options?: RequestOptions): Pages<CardPage, Card> {
    return this.bySkip(path`/contacts/${id}/cards`, query, options);
  }

  /**
   * List a company's cards, newest first
   *
   * Scope: `crm:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the company.
   */
  ofCompany(id: string, query?: CardsOfCompanyQuery, options?: RequestOptions): Pages<CardPage, Card> {
    return this.bySkip(path`/v2/companies/${id}/cards`, query, options);
  }
}

export class CardFilesOperations extends Resource {
  /**
   * List a card's files, newest first
   *
   * All of them: a card has at most 100.
   *
   * Scope: `crm:read`.
   *
   * @param id The id of the card.
   */
  list(id: string, options?: RequestOptions): Promise<CardFileList> {
    return this.call('GET', path`/cards/${id}/files`, {}, options);
  }

  /**
   * Register an uploaded file with its card
   *
   * The bytes are checked against the type: if they do not match the upload the answer is 422, and they are deleted. 409 if nothing was uploaded, and with `meta.code` LIMITE_DE_ARQUIVOS for more than 100 files. A repeat answers the same file.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the card.
   */
  register(id: string, body: RegisterCardFile, options?: RequestOptions): Promise<CardFile> {
    return this.call('POST', path`/cards/${id}/files`, { body }, options);
  }

  /**
   * Start the upload of a card's file
   *
   * Returns an address to PUT the bytes to, for 15 minutes. Then call `POST /cards/{id}/files`: a file that is not registered within an hour is deleted. Types: PDF, JPEG, PNG, WebP, GIF, Word, Excel, PowerPoint, CSV, plain text, MP3, Ogg and MP4; 415 for another, 413 beyond 25 MB.
   *
   * Scope: `crm:write`.
   *
   * @param id The id of the card.
   */
  beginUpload(id: string, body: BeginCardUpload, options?: RequestOptions): Promise<CardUploadAddress> {
    return this.call('POST', path`/cards/${id}/files/uploads`, { body }, options);
  }

  /**
   * Delete a card's file
   *
   * Permanently, with its bytes.
   *
   * Scope: `crm:delete`.
   *
   * @param id The id of the card.
   * @param fileId The id of the file.
   */
  delete(id: string, fileId: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/cards/${id}/files/${fileId}`, {}, options);
  }

  /**
   * Get an address to download a card's file from
   *
   * Valid for five minutes. Browsers save the file under its name instead of showing it.
   *
   * Scope: `crm:read`.
   *
   * @param id The id of the card.
   * @param fileId The id of the file.
   */
  download(id: string, fileId: string, options?: RequestOptions): Promise<CardFileAddress> {
    return this.call('GET', path`/cards/${id}/files/${fileId}/download`, {}, options);
  }
}

export class AiOperations extends Resource {
  /**
   * Report a turn of your own assistant
   *
   * Stores the turn in the contact's timeline and in that of the message that it names, and raises ai.interaction. Nothing is sent or charged. With an Idempotency-Key, a repeat returns the stored turn with `replayed: true`, and raises nothing. Without pii:full, at most 60 reports a minute may name the contact by `to`; then 429.
   *
   * Scope: `messages:send`.
   *
   * Sends an `Idempotency-Key` of its own, unless the options name one.
   */
  report(body: ReportAiTurn, options?: KeyedOptions): Promise<ReportedAiTurn> {
    return this.call('POST', '/v2/ai/interactions', { body, keyed: true }, options);
  }
}

export class EventsOperations extends Resource {
  /**
   * List events of customers, latest first
   *
   * Scope: `contacts:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query: EventsListQuery, options?: RequestOptions): Pages<CustomerEventPage, CustomerEvent> {
    return this.byCursor('/v2/events', query, options);
  }

  /**
   * Record an event of a customer
   *
   * A purchase, a visit, a contract: an action outside of messages. It is attributed to the last message on WhatsApp, SMS, RCS or e-mail that named its contact and was sent before it, within the window. 201 the first time; for an eventId that was recorded before 200 with the stored event and `duplicate: true`, whatever else the body contains. Without pii:full, calls that name the customer by `phone` or `email` are limited to a burst of 60 and one more each second; then 429.
   *
   * Scope: `contacts:write`.
   */
  record(body: RecordCustomerEvent, options?: RequestOptions): Promise<CustomerEvent> {
    return this.call('POST', '/v2/events', { body }, options);
  }
}

export class ExportsOperations extends Resource {
  /**
   * Export the messages of a channel and a period
   *
   * Sent and received, newest first, at most 31 days in a query. A page costs the same however long the export is; a page with much metadata has fewer messages than `limit`. With `Accept: text/csv` the rows are CSV, and the next page is in the `Link` header.
   *
   * Scope: `messages:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  messages(query: ExportsMessagesQuery, options?: RequestOptions): Pages<ExportPage, ExportRow> {
    return this.byCursor('/v2/exports/messages', query, options);
  }

  /**
   * Export the messages of a channel and a period
   *
   * Sent and received, newest first, at most 31 days in a query. A page costs the same however long the export is; a page with much metadata has fewer messages than `limit`. With `Accept: text/csv` the rows are CSV, and the next page is in the `Link` header.
   *
   * Scope: `messages:read`.
   *
   * As CSV: gives a text for each page, each with a line of names.
   */
  messagesCsv(query: ExportsMessagesQuery, options?: RequestOptions): Pages<CsvPage, string> {
    return this.csv('/v2/exports/messages', query, options);
  }

  /**
   * Export the WhatsApp messages of a period
   *
   * Sent and received, newest first, at most 31 days in a query. A page costs the same however long the export is; a page with much metadata has fewer messages than `limit`. With `Accept: text/csv` the rows are CSV, and the next page is in the `Link` header.
   *
   * Scope: `messages:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  whatsapp(query: ExportsWhatsappQuery, options?: RequestOptions): Pages<ExportPage, ExportRow> {
    return this.byCursor('/v2/exports/whatsapp', query, options);
  }

  /**
   * Export the WhatsApp messages of a period
   *
   * Sent and received, newest first, at most 31 days in a query. A page costs the same however long the export is; a page with much metadata has fewer messages than `limit`. With `Accept: text/csv` the rows are CSV, and the next page is in the `Link` header.
   *
   * Scope: `messages:read`.
   *
   * As CSV: gives a text for each page, each with a line of names.
   */
  whatsappCsv(query: ExportsWhatsappQuery, options?: RequestOptions): Pages<CsvPage, string> {
    return this.csv('/v2/exports/whatsapp', query, options);
  }
}

export class ExportJobsOperations extends Resource {
  /**
   * List exports into files, newest first
   *
   * Without addresses of files; exports are kept for 30 days from their creation.
   *
   * Scope: `messages:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: ExportJobsListQuery, options?: RequestOptions): Pages<ExportJobs, ExportJob> {
    return this.byCursor('/v2/exports/jobs', query, options);
  }

  /**
   * Export messages or contacts into a file
   *
   * Messages: those of a channel, sent and received, of at most 366 days, with the rows of `GET /v2/exports/messages`. Contacts: all of them, or those in both the given list and segment, as `GET /contacts` shows them; they need contacts:read as well. Newest first, in one file. It runs in the background. Addresses are masked unless the caller has pii:full. One export of an organization runs at a time: 409 with `meta.jobId` while another runs. Raises export.completed.
   *
   * Scope: `messages:read`.
   */
  create(body: CreateExportJob, options?: RequestOptions): Promise<ExportJob> {
    return this.call('POST', '/v2/exports/jobs', { body }, options);
  }

  /**
   * Read an export into a file
   *
   * With its progress and, once it is completed, a new address with each read. A file with unmasked addresses has one for callers with pii:full only.
   *
   * Scope: `messages:read`.
   *
   * @param id The id of the export.
   */
  get(id: string, options?: RequestOptions): Promise<ExportJob> {
    return this.call('GET', path`/v2/exports/jobs/${id}`, {}, options);
  }

  /**
   * Cancel an export into a file
   *
   * No part of its file is kept, and another export may begin. A repeat answers the export as it is; 409 for an export with another end. Raises export.completed.
   *
   * Scope: `messages:read`.
   *
   * @param id The id of the export.
   */
  cancel(id: string, options?: RequestOptions): Promise<ExportJob> {
    return this.call('POST', path`/v2/exports/jobs/${id}/cancel`, {}, options);
  }
}

export class MetricsOperations extends Resource {
  /**
   * Read the outcomes of messages over time, by channel
   *
   * Changes of a message are counted within about 20 seconds, in the hour in which it was sent, or failed without being sent; a receipt counts in the hour of its message, however late it arrives. Reads counters, never messages.
   *
   * Scope: `messages:read`.
   */
  get(query?: MetricsGetQuery, options?: RequestOptions): Promise<Metrics> {
    return this.call('GET', '/v2/metrics', { query }, options);
  }
}

export class PricesOperations extends Resource {
  /**
   * Read the price table in force
   *
   * Scope: `wallet:read`.
   */
  list(options?: RequestOptions): Promise<PriceTable> {
    return this.call('GET', '/v2/prices', {}, options);
  }
}

export class WalletOperations extends Resource {
  /**
   * Read the wallet
   *
   * Scope: `wallet:read`.
   */
  get(options?: RequestOptions): Promise<Wallet> {
    return this.call('GET', '/v2/wallet', {}, options);
  }

  /**
   * Set the low-balance threshold
   *
   * Scope: `wallet:write`.
   */
  change(body: WalletChange, options?: RequestOptions): Promise<Wallet> {
    return this.call('PATCH', '/v2/wallet', { body }, options);
  }

  /**
   * List the ledger, newest first
   *
   * Scope: `wallet:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  listEntries(query?: WalletListEntriesQuery, options?: RequestOptions): Pages<WalletEntryPage, WalletEntry> {
    return this.byCursor('/v2/wallet/entries', query, options);
  }
}

export class KeysOperations extends Resource {
  /**
   * List API keys, newest first
   *
   * Keys of the organization in the environment of the credential, including expired and revoked ones. A key created a moment ago may be missing for about a second.
   *
   * Scope: `keys:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: KeysListQuery, options?: RequestOptions): Pages<ApiKeyPage, ApiKey> {
    return this.bySkip('/v2/api-keys', query, options);
  }

  /**
   * Create an API key
   *
   * The secret is shown in this response and never again. 403 for a scope that the caller lacks, or an address that it may not call from. A key that was created by a key expires no later than that key, and is revoked with it. Raises apikey.created.
   *
   * Scope: `keys:write`.
   */
  create(body: CreateApiKey, options?: RequestOptions): Promise<IssuedApiKey> {
    return this.call('POST', '/v2/api-keys', { body }, options);
  }

  /**
   * Read an API key
   *
   * A key of the organization in the environment of the credential, revoked or not.
   *
   * Scope: `keys:read`.
   *
   * @param id The id of the key.
   */
  get(id: string, options?: RequestOptions): Promise<ApiKey> {
    return this.call('GET', path`/v2/api-keys/${id}`, {}, options);
  }

  /**
   * Change an API key
   *
   * Its name, and where it may be used from, which takes effect within 60 seconds. To set addresses, the caller needs every scope of the key, and must itself be allowed to call from all of them: else 403. 409 for a revoked or expired key.
   *
   * Scope: `keys:write`.
   *
   * @param id The id of the key.
   */
  change(id: string, body: ChangeApiKey, options?: RequestOptions): Promise<ApiKey> {
    return this.call('PATCH', path`/v2/api-keys/${id}`, { body }, options);
  }

  /**
   * Revoke an API key
   *
   * Every secret of the key, including those of an overlap, is refused within 60 seconds, and so is every key below it, unless `only=this` keeps these. The key stays in the list with `revokedAt`. Revoking it again without `only` revokes the keys that were kept, and changes nothing else.
   *
   * Scope: `keys:write`.
   *
   * @param id The id of the key.
   */
  revoke(id: string, query?: KeysRevokeQuery, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/api-keys/${id}`, { query }, options);
  }

  /**
   * Rotate an API key's secret
   *
   * The id, the scopes and the expiry do not change. The old secret keeps working for `overlapHours`, so that callers can be changed one after another; at most 10 old secrets work at a time, and none longer than the newest overlap. A key can rotate only itself and the keys below it, a person in a session any key: else 403, and also if the key has a scope that the caller lacks, or may be used from addresses that the caller lacks, since the response shows its secret. 409 for a revoked or expired key. Raises apikey.rotated.
   *
   * Scope: `keys:write`.
   *
   * @param id The id of the key.
   */
  rotate(id: string, body?: RotateApiKey, options?: RequestOptions): Promise<IssuedApiKey> {
    return this.call('POST', path`/v2/api-keys/${id}/rotate`, { body }, options);
  }
}

export class SendersOperations extends Resource {
  /**
   * List senders, newest first
   *
   * All of them: an organization has at most 100 in an environment.
   *
   * Scope: `senders:read`.
   */
  list(options?: RequestOptions): Promise<SenderList> {
    return this.call('GET', '/v2/senders', {}, options);
  }

  /**
   * Register a sender
   *
   * For an e-mail domain the answer has the DNS records to set; the domain is verified, with its subdomains, once all are found; a link is mailed to an address. A sender of SMS or RCS stays pending until the operator assigns it. 409 for one that another organization has. In the test environment a sender is verified by its first use, or by the check operation. 412 if no e-mail provider is set up.
   *
   * Scope: `senders:write`.
   */
  create(body: CreateSender, options?: RequestOptions): Promise<Sender> {
    return this.call('POST', '/v2/senders', { body }, options);
  }

  /**
   * Read a sender
   *
   * Scope: `senders:read`.
   *
   * @param id The id of the sender.
   */
  get(id: string, options?: RequestOptions): Promise<Sender> {
    return this.call('GET', path`/v2/senders/${id}`, {}, options);
  }

  /**
   * Make a sender the default of its channel
   *
   * It replaces the earlier default. 409 for a sender that is not verified; 422 for a domain.
   *
   * Scope: `senders:write`.
   *
   * @param id The id of the sender.
   */
  change(id: string, body: ChangeSender, options?: RequestOptions): Promise<Sender> {
    return this.call('PATCH', path`/v2/senders/${id}`, { body }, options);
  }

  /**
   * Delete a sender
   *
   * Sends that name it are refused within ten seconds. A sender that was verified stays reserved for the organization, so that no one else is verified by its DNS records.
   *
   * Scope: `senders:write`.
   *
   * @param id The id of the sender.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/senders/${id}`, {}, options);
  }

  /**
   * Check a sender now
   *
   * Checks with the e-mail provider whether the proof exists. A rejected sender is registered again: the records of a domain are checked again, and the link to an address is mailed again. A sender of SMS or RCS is answered as it is.
   *
   * Scope: `senders:write`.
   *
   * @param id The id of the sender.
   */
  verify(id: string, options?: RequestOptions): Promise<Sender> {
    return this.call('POST', path`/v2/senders/${id}/verify`, {}, options);
  }
}

export class SmppOperations extends Resource {
  /**
   * List SMPP accounts, newest first
   *
   * All of them: an organization has at most 100 in an environment.
   *
   * Scope: `keys:read`.
   */
  list(options?: RequestOptions): Promise<SmppAccountList> {
    return this.call('GET', '/v2/smpp/accounts', {}, options);
  }

  /**
   * Create an SMPP account
   *
   * It sends SMS for the organization, in the environment of the credential. The password is shown in this response and never again. 403 for a caller without `sms:send` and `sms:read`, the scopes of the account, and for addresses that the caller may not call from. 409 when the organization has 100.
   *
   * Scope: `keys:write`.
   */
  create(body: CreateSmppAccount, options?: RequestOptions): Promise<IssuedSmppAccount> {
    return this.call('POST', '/v2/smpp/accounts', { body }, options);
  }

  /**
   * Read an SMPP account
   *
   * Scope: `keys:read`.
   *
   * @param id The id of the SMPP account.
   */
  get(id: string, options?: RequestOptions): Promise<SmppAccount> {
    return this.call('GET', path`/v2/smpp/accounts/${id}`, {}, options);
  }

  /**
   * Change an SMPP account
   *
   * The change reaches open binds within a minute. To set addresses, the caller needs `sms:send` and `sms:read`, and must itself be allowed to call from all of them: else 403.
   *
   * Scope: `keys:write`.
   *
   * @param id The id of the SMPP account.
   */
  change(id: string, body: ChangeSmppAccount, options?: RequestOptions): Promise<SmppAccount> {
    return this.call('PATCH', path`/v2/smpp/accounts/${id}`, { body }, options);
  }

  /**
   * Delete an SMPP account
   *
   * New binds are refused at once, and its open binds end within a minute. Its messages are kept.
   *
   * Scope: `keys:write`.
   *
   * @param id The id of the SMPP account.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/smpp/accounts/${id}`, {}, options);
  }

  /**
   * Rotate the password of an SMPP account
   *
   * The former password is refused at once; open binds stay open. 403 for a caller without `sms:send` and `sms:read`, or that may not call from the addresses of the account, since the response shows the password.
   *
   * Scope: `keys:write`.
   *
   * @param id The id of the SMPP account.
   */
  rotatePassword(id: string, options?: RequestOptions): Promise<IssuedSmppAccount> {
    return this.call('POST', path`/v2/smpp/accounts/${id}/rotate-password`, {}, options);
  }
}

export class OrganizationOperations extends Resource {
  /**
   * Read the credential's organization
   *
   * Scope: `organization:read`.
   */
  get(options?: RequestOptions): Promise<Organization> {
    return this.call('GET', '/v2/organizations/me', {}, options);
  }

  /**
   * Change the credential's organization
   *
   * In the environment of the credential. Absent fields stay as they are.
   *
   * Scope: `organization:write`.
   */
  change(body?: ChangeOrganization, options?: RequestOptions): Promise<Organization> {
    return this.call('PATCH', '/v2/organizations/me', { body }, options);
  }

  /**
   * Read the open countries
   *
   * All of them by default.
   *
   * Scope: `organization:read`.
   */
  getDestinations(options?: RequestOptions): Promise<Destinations> {
    return this.call('GET', '/v2/organizations/me/destinations', {}, options);
  }

  /**
   * Open or close countries
   *
   * Sends to a country that is not open are refused with 422, `meta.motivo` destination_closed. The country is that of the number, even if countries share a calling code. A channel that is left out is open everywhere. Takes effect within ten seconds.
   *
   * Scope: `organization:write`.
   */
  setDestinations(body?: SetDestinations, options?: RequestOptions): Promise<Destinations> {
    return this.call('PUT', '/v2/organizations/me/destinations', { body }, options);
  }

  /**
   * Read the quiet hours
   *
   * None by default.
   *
   * Scope: `organization:read`.
   */
  getQuietHours(options?: RequestOptions): Promise<QuietHours> {
    return this.call('GET', '/v2/organizations/me/quiet-hours', {}, options);
  }

  /**
   * Set the quiet hours
   *
   * Asynchronous messages on these channels wait until the hours end; force bypasses them, and synchronous sends are not deferred. Without channels, nothing is deferred. Takes effect within ten seconds.
   *
   * Scope: `organization:write`.
   */
  setQuietHours(body: SetQuietHours, options?: RequestOptions): Promise<QuietHours> {
    return this.call('PUT', '/v2/organizations/me/quiet-hours', { body }, options);
  }
}

export class AccountsOperations extends Resource {
  /**
   * List the people of the organization, newest first
   *
   * Those of the environment of the credential. Their ids are the values of `responsavelId`. An account created a moment ago may be missing for about a second.
   *
   * Scope: `accounts:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: AccountsListQuery, options?: RequestOptions): Pages<AccountPage, Account> {
    return this.bySkip('/v2/accounts', query, options);
  }

  /**
   * Invite a person
   *
   * Mails a link, which works for seven days; `POST /sessions/links` mails another. The account becomes active when the person signs in. 403 for an account of a role above that of the caller; a key manages no admin and no owner. 409 for an e-mail address that the organization already has, and for an organization that has reached its limit. The test environment sends no mails.
   *
   * Scope: `accounts:write`.
   */
  create(body: CreateAccount, options?: RequestOptions): Promise<Account> {
    return this.call('POST', '/v2/accounts', { body }, options);
  }

  /**
   * Read a person
   *
   * Scope: `accounts:read`.
   *
   * @param id The id of the account.
   */
  get(id: string, options?: RequestOptions): Promise<Account> {
    return this.call('GET', path`/v2/accounts/${id}`, {}, options);
  }

  /**
   * Change a person's name or role
   *
   * Absent fields stay as they are. Open sessions have the new role within 60 seconds. The address cannot be changed: a person with another one is invited again. 403 for an account of a role above that of the caller; a key manages no admin and no owner. 409 if no active owner would be left.
   *
   * Scope: `accounts:write`.
   *
   * @param id The id of the account.
   */
  change(id: string, body?: ChangeAccount, options?: RequestOptions): Promise<Account> {
    return this.call('PATCH', path`/v2/accounts/${id}`, { body }, options);
  }

  /**
   * Remove a person
   *
   * Deletes name and address; sessions are refused within 60 seconds. Keys that the person created continue to work. 403 for an account of a role above that of the caller; a key manages no admin and no owner. 409 if no active owner would be left.
   *
   * Scope: `accounts:write`.
   *
   * @param id The id of the account.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/accounts/${id}`, {}, options);
  }

  /**
   * End the suspension of a person
   *
   * The account has its former status again: `active`, or `invited` if its person had not signed in. 409 for an open invitation, which only its person can accept. 403 for an account of a role above that of the caller; a key manages no admin and no owner.
   *
   * Scope: `accounts:write`.
   *
   * @param id The id of the account.
   */
  activate(id: string, options?: RequestOptions): Promise<Account> {
    return this.call('POST', path`/v2/accounts/${id}/activate`, {}, options);
  }

  /**
   * Suspend a person
   *
   * Permanently ends the sessions and links of the account, within 60 seconds. Suspending again changes nothing. 403 for an account of a role above that of the caller; a key manages no admin and no owner. 409 if no active owner would be left.
   *
   * Scope: `accounts:write`.
   *
   * @param id The id of the account.
   */
  suspend(id: string, options?: RequestOptions): Promise<Account> {
    return this.call('POST', path`/v2/accounts/${id}/suspend`, {}, options);
  }
}

export class SessionsOperations extends Resource {
  /**
   * Sign in with a link
   *
   * Opens a session of 12 hours with the scopes of the account's role. The token works once, and accepts an open invitation. 401 for a token that is unknown, used or expired, or whose account is suspended. With `cookie`, for pages of the service: the session's token works for 15 minutes, and an HttpOnly cookie renews it by `POST /sessions/refresh`; 403 for a request that comes from a page of another origin.
   *
   * No credential is needed.
   */
  create(body: CreateSession, query?: SessionsCreateQuery, options?: RequestOptions): Promise<NewSession> {
    return this.call('POST', '/sessions', { body, query, open: true }, options);
  }

  /**
   * Request a link to sign in
   *
   * Mails a link for each organization in which the address has an account that is not suspended. The answer is the same whether or not there is one. A link works once, for 15 minutes; a link that accepts an invitation works for seven days. An address gets a burst of five mails, then one every three minutes; 429 for too many requests from one IP address.
   *
   * No credential is needed.
   */
  requestLink(body: RequestSignInLink, query?: SessionsRequestLinkQuery, options?: RequestOptions): Promise<void> {
    return this.call('POST', '/sessions/links', { body, query, open: true }, options);
  }

  /**
   * Renew a browser's session by its cookie
   *
   * Answers a token for 15 minutes and replaces the cookie; earlier tokens work until they expire, at most ten at a time. The session itself still ends 12 hours after it was opened. For pages of the service only: 403 unless `Sec-Fetch-Site` is `same-origin` or `Origin` is the address of the service. 401 without a cookie of an open session. A cookie that was replaced over a minute ago is in the hands of two parties, and ends the session.
   *
   * No credential is needed.
   */
  refresh(query?: SessionsRefreshQuery, options?: RequestOptions): Promise<NewSession> {
    return this.call('POST', '/sessions/refresh', { query, open: true }, options);
  }

  /**
   * List open sessions, newest first
   *
   * Those of the caller; with `accountId`, those of a person whom the caller may manage, else 404. At most 200. One opened a moment ago may be missing for about a second.
   *
   * Only for a person in a session that has `accounts:read`.
   */
  list(query?: SessionsListQuery, options?: RequestOptions): Promise<SessionList> {
    return this.call('GET', '/v2/sessions', { query }, options);
  }

  /**
   * End a session
   *
   * It is refused within 60 seconds. The caller may end its own sessions, and those of a person whom it may manage; any other session is 404, and so is one that has ended.
   *
   * Only for a person in a session that has `accounts:read`.
   *
   * @param id The id of the session.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/v2/sessions/${id}`, {}, options);
  }
}

export class AuditOperations extends Resource {
  /**
   * Read the audit log, newest first
   *
   * The acts in the environment of the credential, with actor and address. Kept for 400 days. Filters can be combined; the list ends where `nextCursor` is absent.
   *
   * Scope: `audit:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: AuditListQuery, options?: RequestOptions): Pages<AuditPage, AuditEntry> {
    return this.byCursor('/v2/audit', query, options);
  }
}

export class OperatorOperations extends Resource {
  /**
   * List work that is overdue or was set aside
   *
   * Lists work that has been due for five seconds or more, and work that failed for hours and waits for the operator.
   *
   * Only for a person in a session that has `operator:read`.
   */
  listWork(options?: RequestOptions): Promise<StuckWorkList> {
    return this.call('GET', '/v2/operator/due-work', {}, options);
  }

  /**
   * List work that was set aside
   *
   * Only for a person in a session that has `operator:read`.
   */
  listSetAside(query?: OperatorListSetAsideQuery, options?: RequestOptions): Promise<SetAsideWorkList> {
    return this.call('GET', '/v2/operator/due-work/set-aside', { query }, options);
  }

  /**
   * Make work that was set aside due again
   *
   * Work that was done meanwhile is not repeated; a second call changes nothing.
   *
   * Only for a person in a session that has `operator:write`.
   */
  retryWork(body: RetryWork, options?: RequestOptions): Promise<RetriedWork> {
    return this.call('POST', '/v2/operator/due-work/set-aside', { body }, options);
  }

  /**
   * List the queues of the stage
   *
   * Only for a person in a session that has `operator:read`.
   */
  listQueues(options?: RequestOptions): Promise<QueueList> {
    return this.call('GET', '/v2/operator/queues', {}, options);
  }

  /**
   * List dead letters
   *
   * They stay in the dead-letter queue; while one call lists them, other calls do not see them. Each listing counts as a receive.
   *
   * Only for a person in a session that has `operator:read`.
   *
   * @param queue The queue.
   */
  peekDeadLetters(queue: string, query?: OperatorPeekDeadLettersQuery, options?: RequestOptions): Promise<DeadLetterList> {
    return this.call('GET', path`/v2/operator/queues/${queue}/dead-letters`, { query }, options);
  }

  /**
   * Move dead letters back to their queue
   *
   * Moves all of them, which continues in the background, or those with the given ids. Work that was done meanwhile is not repeated, so redriving twice is harmless.
   *
   * Only for a person in a session that has `operator:write`.
   *
   * @param queue The queue.
   */
  redriveDeadLetters(queue: string, body?: RedriveDeadLetters, options?: RequestOptions): Promise<Redrive> {
    return this.call('POST', path`/v2/operator/queues/${queue}/dead-letters`, { body }, options);
  }

  /**
   * Probe a provider, or close its circuit breaker
   *
   * `probe` ends the pause of an open circuit breaker: the next send tries the provider, and its result closes or reopens the breaker; 409 for one that is not open. `reset` closes it in any state; a second call changes nothing. Every process sees the change within five seconds.
   *
   * Only for a person in a session that has `operator:write`.
   */
  changeBreaker(body: ChangeBreaker, options?: RequestOptions): Promise<Breaker> {
    return this.call('POST', '/v2/operator/breakers', { body }, options);
  }

  /**
   * List the organizations of the stage, newest first
   *
   * Only for a person in a session that has `operator:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  listOrganizations(query?: OperatorListOrganizationsQuery, options?: RequestOptions): Pages<OrganizationSummaryPage, OrganizationSummary> {
    return this.byCursor('/v2/operator/organizations', query, options);
  }

  /**
   * Read an organization with its wallet and limits
   *
   * Only for a person in a session that has `operator:read`.
   *
   * @param id The id of the organization.
   */
  getOrganization(id: string, options?: RequestOptions): Promise<OrganizationState> {
    return this.call('GET', path`/v2/operator/organizations/${id}`, {}, options);
  }

  /**
   * List the providers of the stage with their circuit breakers
   *
   * Only for a person in a session that has `operator:read`.
   */
  listProviders(options?: RequestOptions): Promise<ProviderList> {
    return this.call('GET', '/v2/operator/providers', {}, options);
  }
}

export class WebhooksOperations extends Resource {
  /**
   * List subscriptions, newest first
   *
   * Scope: `webhooks:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   */
  list(query?: WebhooksListQuery, options?: RequestOptions): Pages<WebhookPage, Webhook> {
    return this.bySkip('/webhooks', query, options);
  }

  /**
   * Subscribe a URL to events
   *
   * The URL is first sent a signed `webhook.validation` event and must answer 200 within 5 s. The secret is shown in this response only. 409 when the organization has 1,000 subscriptions that are not revoked.
   *
   * Scope: `webhooks:write`.
   */
  create(body: CreateWebhook, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.call('POST', '/webhooks', { body }, options);
  }

  /**
   * Read a subscription
   *
   * Scope: `webhooks:read`.
   *
   * @param id The id of the subscription.
   */
  get(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.call('GET', path`/webhooks/${id}`, {}, options);
  }

  /**
   * Change, pause or resume a subscription
   *
   * Scope: `webhooks:write`.
   *
   * @param id The id of the subscription.
   */
  change(id: string, body?: ChangeWebhook, options?: RequestOptions): Promise<Webhook> {
    return this.call('PATCH', path`/webhooks/${id}`, { body }, options);
  }

  /**
   * Revoke a subscription
   *
   * Nothing more is delivered. It can be read for 30 days, and so can its deliveries and events.
   *
   * Scope: `webhooks:write`.
   *
   * @param id The id of the subscription.
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.call('DELETE', path`/webhooks/${id}`, {}, options);
  }

  /**
   * List deliveries, newest first
   *
   * Scope: `webhooks:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the subscription.
   */
  listDeliveries(id: string, query?: WebhooksListDeliveriesQuery, options?: RequestOptions): Pages<WebhookDeliveryPage, WebhookDelivery> {
    return this.bySkip(path`/webhooks/${id}/deliveries`, query, options);
  }

  /**
   * Read a delivery with its attempts
   *
   * Scope: `webhooks:read`.
   *
   * @param id The id of the subscription.
   * @param deliveryId The id of the delivery.
   */
  getDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.call('GET', path`/webhooks/${id}/deliveries/${deliveryId}`, {}, options);
  }

  /**
   * Deliver an event again
   *
   * With the same event id and sequence: a receiver that deduplicates by webhook-id processes it once.
   *
   * Scope: `webhooks:replay`.
   *
   * @param id The id of the subscription.
   * @param deliveryId The id of the delivery.
   */
  replayDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.call('POST', path`/webhooks/${id}/deliveries/${deliveryId}/replay`, {}, options);
  }

  /**
   * Pull the events of a subscription by sequence
   *
   * In order and without gaps: a receiver that requests the events after its last sequence number can be sure that it missed none. Events are kept for 30 days: a request for older ones returns from the oldest that is kept.
   *
   * Scope: `webhooks:read`.
   *
   * Gives its items one by one with `for await`, and its first page with `await`.
   *
   * @param id The id of the subscription.
   */
  listEvents(id: string, query?: WebhooksListEventsQuery, options?: RequestOptions): Pages<EventFeed, EventEnvelope> {
    return this.bySequence(path`/webhooks/${id}/events`, query, options);
  }

  /**
   * Deliver the events of a time range again
   *
   * Oldest first, each with its event id and sequence. 422 for more than 10,000 deliveries: narrow the range.
   *
   * Scope: `webhooks:replay`.
   *
   * @param id The id of the subscription.
   */
  replay(id: string, body: ReplayWebhook, options?: RequestOptions): Promise<ReplayResult> {
    return this.call('POST', path`/webhooks/${id}/replay`, { body }, options);
  }

  /**
   * Rotate a subscription's secret
   *
   * Until the overlap ends, deliveries are signed with both secrets.
   *
   * Scope: `webhooks:write`.
   *
   * @param id The id of the subscription.
   */
  rotateSecret(id: string, body?: RotateWebhookSecret, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.call('POST', path`/webhooks/${id}/rotate-secret`, { body }, options);
  }

  /**
   * Send a test event
   *
   * Sends the example of an event type at once. It has no sequence number.
   *
   * Scope: `webhooks:write`.
   *
   * @param id The id of the subscription.
   */
  test(id: string, body: TestWebhook, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.call('POST', path`/webhooks/${id}/test`, { body }, options);
  }
}

export class MetaOperations extends Resource {
  /**
   * Check that the service accepts requests
   *
   * Responds without reading the table: the stage is reachable, but its dependencies are not checked.
   *
   * No credential is needed.
   */
  health(options?: RequestOptions): Promise<Health> {
    return this.call('GET', '/health', { open: true }, options);
  }

  /**
   * Read this document
   *
   * No credential is needed.
   */
  openapi(options?: RequestOptions): Promise<MetaOpenapiResponse> {
    return this.call('GET', '/openapi.json', { open: true }, options);
  }
}

/** Every operation, in the groups of their ids: `email-templates.create` is `emailTemplates.create`. */
export class Operations {
  readonly messages: MessagesOperations;
  readonly v1: V1Operations;
  readonly bulk: BulkOperations;
  readonly campaigns: CampaignsOperations;
  readonly sms: SmsOperations;
  readonly rcs: RcsOperations;
  readonly email: EmailOperations;
  readonly emailTemplates: EmailTemplatesOperations;
  readonly numbers: NumbersOperations;
  readonly templates: TemplatesOperations;
  readonly flows: FlowsOperations;
  readonly push: PushOperations;
  readonly media: MediaOperations;
  readonly contacts: ContactsOperations;
  readonly contactImports: ContactImportsOperations;
  readonly companies: CompaniesOperations;
  readonly segments: SegmentsOperations;
  readonly lists: ListsOperations;
  readonly journeys: JourneysOperations;
  readonly activities: ActivitiesOperations;
  readonly pipelines: PipelinesOperations;
  readonly cards: CardsOperations;
  readonly cardFiles: CardFilesOperations;
  readonly ai: AiOperations;
  readonly events: EventsOperations;
  readonly exports: ExportsOperations;
  readonly exportJobs: ExportJobsOperations;
  readonly metrics: MetricsOperations;
  readonly prices: PricesOperations;
  readonly wallet: WalletOperations;
  readonly keys: KeysOperations;
  readonly senders: SendersOperations;
  readonly smpp: SmppOperations;
  readonly organization: OrganizationOperations;
  readonly accounts: AccountsOperations;
  readonly sessions: SessionsOperations;
  readonly audit: AuditOperations;
  readonly operator: OperatorOperations;
  readonly webhooks: WebhooksOperations;
  readonly meta: MetaOperations;

  constructor(call: Call) {
    this.messages = new MessagesOperations(call);
    this.v1 = new V1Operations(call);
    this.bulk = new BulkOperations(call);
    this.campaigns = new CampaignsOperations(call);
    this.sms = new SmsOperations(call);
    this.rcs = new RcsOperations(call);
    this.email = new EmailOperations(call);
    this.emailTemplates = new EmailTemplatesOperations(call);
    this.numbers = new NumbersOperations(call);
    this.templates = new TemplatesOperations(call);
    this.flows = new FlowsOperations(call);
    this.push = new PushOperations(call);
    this.media = new MediaOperations(call);
    this.contacts = new ContactsOperations(call);
    this.contactImports = new ContactImportsOperations(call);
    this.companies = new CompaniesOperations(call);
    this.segments = new SegmentsOperations(call);
    this.lists = new ListsOperations(call);
    this.journeys = new JourneysOperations(call);
    this.activities = new ActivitiesOperations(call);
    this.pipelines = new PipelinesOperations(call);
    this.cards = new CardsOperations(call);
    this.cardFiles = new CardFilesOperations(call);
    this.ai = new AiOperations(call);
    this.events = new EventsOperations(call);
    this.exports = new ExportsOperations(call);
    this.exportJobs = new ExportJobsOperations(call);
    this.metrics = new MetricsOperations(call);
    this.prices = new PricesOperations(call);
    this.wallet = new WalletOperations(call);
    this.keys = new KeysOperations(call);
    this.senders = new SendersOperations(call);
    this.smpp = new SmppOperations(call);
    this.organization = new OrganizationOperations(call);
    this.accounts = new AccountsOperations(call);
    this.sessions = new SessionsOperations(call);
    this.audit = new AuditOperations(call);
    this.operator = new OperatorOperations(call);
    this.webhooks = new WebhooksOperations(call);
    this.meta = new MetaOperations(call);
  }
}
