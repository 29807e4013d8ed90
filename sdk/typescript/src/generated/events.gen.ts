// Made from openapi.json by `npm run sdk`: not to be edited.

import type {
  ActivityDueEventEnvelope,
  AiTurnEventEnvelope,
  CampaignCompletedEventEnvelope,
  CampaignPausedEventEnvelope,
  CampaignStartedEventEnvelope,
  CardClosedEventEnvelope,
  CardCreatedEventEnvelope,
  CardMovedEventEnvelope,
  CardStalledEventEnvelope,
  ClickedEventEnvelope,
  CompanyCreatedEventEnvelope,
  CompanyDeletedEventEnvelope,
  CompanyUpdatedEventEnvelope,
  ContactEventEnvelope,
  ContactMergedEventEnvelope,
  DestinationHeldEventEnvelope,
  ExportCompletedEventEnvelope,
  ImportCompletedEventEnvelope,
  JourneyActivatedEventEnvelope,
  JourneyPausedEventEnvelope,
  JourneyRunFailedEventEnvelope,
  KeyCreatedEventEnvelope,
  KeyRotatedEventEnvelope,
  MessageEventEnvelope,
  NumberQualityEventEnvelope,
  OpenedEventEnvelope,
  ReceivedEventEnvelope,
  ReplyEventEnvelope,
  SegmentEventEnvelope,
  TemplateEventEnvelope,
  WalletEventEnvelope,
} from './types.gen.ts';

/** An event of a type that a subscription can take: `type` determines the shape of `data`. */
export type CatalogueEvent =
  | ActivityDueEventEnvelope
  | AiTurnEventEnvelope
  | CampaignCompletedEventEnvelope
  | CampaignPausedEventEnvelope
  | CampaignStartedEventEnvelope
  | CardClosedEventEnvelope
  | CardCreatedEventEnvelope
  | CardMovedEventEnvelope
  | CardStalledEventEnvelope
  | ClickedEventEnvelope
  | CompanyCreatedEventEnvelope
  | CompanyDeletedEventEnvelope
  | CompanyUpdatedEventEnvelope
  | ContactEventEnvelope
  | ContactMergedEventEnvelope
  | DestinationHeldEventEnvelope
  | ExportCompletedEventEnvelope
  | ImportCompletedEventEnvelope
  | JourneyActivatedEventEnvelope
  | JourneyPausedEventEnvelope
  | JourneyRunFailedEventEnvelope
  | KeyCreatedEventEnvelope
  | KeyRotatedEventEnvelope
  | MessageEventEnvelope
  | NumberQualityEventEnvelope
  | OpenedEventEnvelope
  | ReceivedEventEnvelope
  | ReplyEventEnvelope
  | SegmentEventEnvelope
  | TemplateEventEnvelope
  | WalletEventEnvelope;
