import * as z from 'zod';
import { ACTIVITY_TYPES, MOMENTS } from '../domain/activities/activity.ts';
import { QUALITY_RATINGS } from '../domain/channels/whatsapp/numbers/number.ts';
import { CONTACT_SOURCES, OPT_IN_STATUSES } from '../domain/contacts/contact.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import type { EventType } from '../domain/events/catalogue.ts';
import { EXPORT_STATUSES } from '../domain/exports/export-job.ts';
import { IMPORT_STATUSES } from '../domain/imports/import-job.ts';
import { AiTurn } from './ai.ts';
import { Campaign } from './campaign-fields.ts';
import { Card } from './card-fields.ts';
import { coins, count, dateTime, optionalText, part, text } from './common.ts';
import { type EventShape, MESSAGE_EVENTS } from './event-message-data.ts';
import { Journey } from './journey-shapes.ts';

const of = (types: readonly EventType[], description: string, fields: z.ZodRawShape): EventShape => ({
  types,
  data: part(description, fields),
});

const contactId = idSchema('contact');
const companyId = idSchema('company');

const campaign = {
  campaignId: idSchema('campaign'),
  name: Campaign.shape.name,
  campaignTag: optionalText("The caller's own campaign tag.", 'black-friday'),
};
const startedAt = dateTime('When it began.');
const AUTOMATION = {
  CampaignStarted: of(['campaign.started'], 'A campaign that begins to send.', {
    ...campaign,
    startedAt,
    total: count('Recipients of the snapshot.', 1_250),
  }),
  CampaignPaused: of(['campaign.paused'], 'A campaign that was paused.', {
    ...campaign,
    pausedAt: dateTime('When it was paused.'),
    pausedBy: Campaign.shape.pausedBy.unwrap(),
  }),
  CampaignCompleted: of(['campaign.completed'], 'A campaign whose messages all have a final status.', {
    ...campaign,
    startedAt,
    completedAt: dateTime('When all of its messages had a final status.'),
    progress: Campaign.shape.progress,
    coins: Campaign.shape.coins,
  }),
};

const journey = {
  journeyId: idSchema('journey'),
  versao: count('The version.', 2),
  versaoDe: idSchema('journey', 'The first version; absent on the first.').optional(),
};
const JOURNEYS = {
  JourneyActivated: of(['journey.activated'], 'A journey that begins, or is resumed.', {
    ...journey,
    ativadaEm: dateTime('Since when.'),
  }),
  JourneyPaused: of(['journey.paused'], 'A journey that was paused.', {
    ...journey,
    pausadaPor: Journey.shape.pausadaPor.unwrap(),
  }),
  JourneyRunFailed: of(['journey.run_failed'], 'A run that ended in an error.', {
    ...journey,
    runId: idSchema('run'),
    contactId,
    passo: text('The step.', 'avisar_erp'),
    motivo: text('Why.', 'webhook_falhou'),
  }),
};

const rating = (description: string, example: string) => z.enum(QUALITY_RATINGS).meta({ description, example });
const key = { keyId: idSchema('apiKey'), name: text('The name of the key.', 'Checkout') };
const phone = text('The phone, masked without pii:full.', '+55119****4321');
const PEOPLE = {
  Contact: of(['contact.created', 'contact.opted_out'], 'A contact.', {
    contactId,
    phone,
    status: z.enum(OPT_IN_STATUSES).meta({ description: 'The consent.', example: 'unknown' }),
    source: z.enum(CONTACT_SOURCES).meta({ description: 'Where the contact came from.', example: 'api' }),
    reason: optionalText('Why it opted out.', 'asked to stop'),
    externalId: optionalText("The caller's own id of it.", 'loja:42'),
  }),
  ContactMerged: of(['contact.merged'], 'Two contacts that were merged.', {
    contactId,
    mergedContactId: idSchema('contact', 'The contact that was removed.'),
  }),
  Segment: of(['segment.entered', 'segment.left'], 'A contact that entered or left a segment.', {
    segmentId: idSchema('segment'),
    contactId,
    at: dateTime('When it did.'),
  }),
  AiTurn: of(['ai.interaction'], "A turn of a conversation with the organization's own assistant.", {
    ...AiTurn.omit({ createdAt: true }).shape,
    phone,
  }),
};

const ACCOUNT = {
  NumberQuality: of(['number.quality_changed'], 'A number whose rating changed.', {
    numberId: idSchema('number'),
    phoneNumberId: text("Meta's id of it.", '106540352242922'),
    qualityRating: rating('The rating.', 'yellow'),
    previousRating: rating('The rating before.', 'green'),
  }),
  Template: of(['template.approved', 'template.rejected'], 'A template that was reviewed.', {
    templateId: idSchema('template'),
    name: text('The name.', 'order_shipped'),
    language: text('The language.', 'pt-BR'),
    rejectionReason: optionalText('Why it was rejected.', 'INVALID_FORMAT'),
  }),
  KeyCreated: of(['apikey.created'], 'A key that was created.', {
    ...key,
    scopes: z.array(z.string()).meta({ description: 'Its scopes.', example: ['sms:send'] }),
    expiresAt: dateTime('When it ends.').optional(),
  }),
  KeyRotated: of(['apikey.rotated'], 'A key that got a new secret.', {
    ...key,
    rotatedAt: dateTime('When it did.'),
    oldSecretsValidUntil: dateTime('Until when old secrets work; absent if none does.').optional(),
  }),
  Wallet: of(['wallet.low_balance', 'wallet.depleted'], 'The balance of the wallet.', {
    balanceCoins: coins('The balance.'),
    lowBalanceCoins: coins('The threshold below which it is low.'),
  }),
};

const deal = {
  cardId: idSchema('card'),
  pipelineId: idSchema('pipeline'),
  estagioId: idSchema('stage'),
  contatoId: contactId.optional(),
  empresaId: companyId.optional(),
  status: Card.shape.status,
};
const CRM = {
  CompanyCreated: of(['company.created'], 'A company that was created.', { companyId }),
  CompanyUpdated: of(['company.updated'], 'A company that changed.', {
    companyId,
    campos: z.array(z.string()).meta({ description: 'The fields that changed.', example: ['nome'] }),
  }),
  CompanyDeleted: of(['company.deleted'], 'A company that was deleted.', {
    companyId,
    contatosDesvinculados: count('The contacts that belonged to it.', 3),
    cartoesDesvinculados: count('The cards that named it.', 2),
  }),
  CardCreated: of(['card.created'], 'A card that was created.', deal),
  CardMoved: of(['card.moved'], 'A card that moved to another stage.', {
    ...deal,
    estagioAnteriorId: idSchema('stage', 'The stage that it came from.'),
  }),
  CardClosed: of(['card.won', 'card.lost'], 'A card that was won or lost.', {
    ...deal,
    valor: Card.shape.valor,
    moeda: Card.shape.moeda,
  }),
  CardStalled: of(['card.stalled'], 'A card that has been in its stage for too long.', {
    ...deal,
    estagioDesde: dateTime('The time since which it is in its stage.'),
    tempoMaximoDias: count('How many days its stage allows.', 14),
  }),
  ActivityDue: of(['activity.due'], 'An activity that is due, or a reminder of it.', {
    activityId: idSchema('activity'),
    tipo: z.enum(ACTIVITY_TYPES).meta({ description: 'Its kind.', example: 'ligacao' }),
    momento: z.enum(MOMENTS).meta({ description: 'The reminder, or the time itself.', example: 'lembrete' }),
    venceEm: dateTime('When it is due.').optional(),
    cardId: idSchema('card').optional(),
    contatoId: contactId.optional(),
    empresaId: companyId.optional(),
    responsavelId: idSchema('account').optional(),
  }),
};

const ended = (statuses: readonly [string, ...string[]]) =>
  z.enum(statuses).meta({ description: 'How it ended.', example: 'completed' });
const rows = count('Its rows.', 12_000);
const JOBS = {
  ImportCompleted: of(['import.completed'], 'An import that ended.', {
    jobId: idSchema('importJob'),
    status: ended(IMPORT_STATUSES),
    rows,
    created: count('Contacts that were created.', 11_200),
    updated: count('Contacts that were changed.', 780),
    ignored: count('Rows that were skipped.', 0),
    errors: count('Rows with an error.', 20),
  }),
  ExportCompleted: of(['export.completed'], 'An export that ended.', {
    jobId: idSchema('exportJob'),
    status: ended(EXPORT_STATUSES),
    rows,
    format: text('The format of the file.', 'csv'),
  }),
};

/** The `data` of each event, by the name of its shape; every event type has one shape (docs/spec/webhooks.md#envelope). */
export const EVENT_SHAPES: Readonly<Record<string, EventShape>> = {
  ...MESSAGE_EVENTS,
  ...AUTOMATION,
  ...JOURNEYS,
  ...PEOPLE,
  ...ACCOUNT,
  ...CRM,
  ...JOBS,
};
