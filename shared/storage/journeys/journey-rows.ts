import * as z from 'zod';
import { isoTime } from '../../domain/core/time.ts';
import { CONTACTS_SHOWN } from '../../domain/journeys/contacts-shown.ts';
import { REENTRIES, TRIGGER_TYPES } from '../../domain/journeys/definition.ts';
import { JOURNEY_STATUSES, type Journey } from '../../domain/journeys/journey.ts';
import type { JourneyLineage } from '../../domain/journeys/lineage.ts';
import { type JourneyTrigger, triggerOf } from '../../domain/journeys/trigger.ts';
import { PAUSE_REASONS } from '../../domain/journeys/turn.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { KEYS } from '../access-patterns.ts';
import { journeyUseWrite } from '../automation/journey-use.ts';
import { id, tenant, time, ttlAfter } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

const channel = z.custom<Channel>((value) => typeof value === 'string');

export const journeyRows = defineRow<Journey>()({
  attributes: {
    id: id('journey'),
    ...tenant,
    name: z.string(),
    status: z.enum(JOURNEY_STATUSES),
    gatilho: z.object({
      tipo: z.enum(TRIGGER_TYPES),
      listId: id('list').optional(),
      nome: z.string().optional(),
      segmentId: id('segment').optional(),
    }),
    reentrada: z.enum(REENTRIES),
    intervaloReentradaHoras: z.number().optional(),
    silencio: z.object({ inicio: z.string(), fim: z.string() }).optional(),
    tetoDeFrequencia: z.object({ mensagens: z.int(), dias: z.int() }).optional(),
    meta: z.object({ evento: z.string() }).optional(),
    rootId: id('journey'),
    number: z.int(),
    revision: z.int(),
    pause: z
      .object({ reason: z.enum(PAUSE_REASONS), step: z.string(), label: z.string().optional(), at: time })
      .optional(),
    pausedMs: z.int(),
    pausedAt: time.optional(),
    activatedAt: time.optional(),
    replacedBy: id('journey').optional(),
    entriesClosed: z.boolean().optional(),
    contactsShown: z.enum(CONTACTS_SHOWN).optional(),
    channels: z.array(channel),
    flow: z.array(z.string()),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  key: (journey) => KEYS.journey(journey.id),
  index: ({ id: journeyId, organizationId, createdAt, status }) =>
    status === 'arquivada' ? {} : INDEX_KEYS.journeysOf(organizationId, isoTime(createdAt), journeyId),
});

export const lineageRows = defineRow<JourneyLineage>()({
  attributes: {
    rootId: id('journey'),
    ...tenant,
    draftId: id('journey').optional(),
    runningId: id('journey').optional(),
    secrets: z.array(z.object({ version: z.int(), sealed: z.string(), endsAt: time.optional() })),
    postsInFull: z.boolean().optional(),
    version: z.int(),
  },
  key: ({ rootId }) => KEYS.journeyLineage(rootId),
});

export const triggerRows = defineRow<JourneyTrigger>()({
  attributes: {
    journeyId: id('journey'),
    ...tenant,
    rootId: id('journey'),
    tipo: z.enum(TRIGGER_TYPES).exclude(['manual']),
    listId: id('list').optional(),
    segmentId: id('segment').optional(),
    nome: z.string().optional(),
    since: time,
  },
  key: ({ organizationId, tipo, journeyId, ...of }) =>
    KEYS.journeyTrigger(organizationId, tipo, targetOf({ tipo, ...of }), journeyId),
});

/** The lookup key of a trigger; triggers on messages have none, since the words of all are compared. */
const targetOf = ({
  tipo,
  listId,
  segmentId,
  nome,
}: Pick<JourneyTrigger, 'tipo' | 'listId' | 'segmentId' | 'nome'>): string => {
  if (tipo === 'mensagem') return '';
  return listId ?? segmentId ?? nome ?? '';
};

/** The writes of a journey's trigger for a change; on activation also the record that its organization uses journeys. */
export const triggerWrites = (before: Journey | undefined, after: Journey | undefined): WriteOp[] => {
  const [was, is] = [before && triggerOf(before), after && triggerOf(after)];
  const begins = after?.status === 'ativa' && before?.status !== 'ativa';
  const use = begins ? [journeyUseWrite(after.organizationId, after.activatedAt ?? after.updatedAt)] : [];
  if (is) return was ? use : [...use, { put: triggerRows.write(is) }];
  if (!was) return use;
  const { pk, sk } = triggerRows.write(was);
  return [...use, { delete: { pk, sk } }];
};

/** The start time of a trigger that is only announced: never. */
const NEVER = Date.parse('9999-01-01T00:00:00Z');
/** How long it is announced, in ms: far longer than an activation takes. */
const ANNOUNCED_MS = 3_600_000;

/**
 * Makes changes of contacts record the tag of a version before it is activated; expires if it is not. Changes that read the triggers
 * afterwards are therefore not missed. Undefined for triggers that are evaluated on delivery.
 */
export const announcement = (journey: Journey, now: number): WriteOp | undefined => {
  const trigger = triggerOf({ ...journey, status: 'ativa', activatedAt: NEVER });
  if (trigger?.tipo !== 'etiqueta') return undefined;
  return {
    put: { ...triggerRows.write(trigger), ttl: ttlAfter(now + ANNOUNCED_MS) },
    when: { text: 'attribute_not_exists(#pk) OR attribute_exists(#ttl)' },
  };
};
