import { type FieldError, type Refusal, refuse } from '../core/errors.ts';
import { refuseField } from '../core/refuse-field.ts';
import type { Pipeline, Stage } from '../pipelines/pipeline.ts';
import type { Card, CardStatus } from './card.ts';

const ATTRIBUTE = 'atributos.';
const FIELDS: Readonly<Record<string, (card: Card) => unknown>> = {
  valor: ({ cents }) => cents,
  dataPrevista: ({ expectedOn }) => expectedOn,
  responsavelId: ({ responsibleId }) => responsibleId,
  contatoId: ({ contactId }) => contactId,
  empresaId: ({ companyId }) => companyId,
};
const fieldValue = (card: Card, field: string): unknown =>
  field.startsWith(ATTRIBUTE)
    ? new Map(Object.entries(card.attributes)).get(field.slice(ATTRIBUTE.length))
    : FIELDS[field]?.(card);
const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** 422 with an error for each field that a stage requires and the card lacks. */
export const checkRequired = (card: Card, { requiredFields }: Stage): Refusal<'VALIDATION_ERROR'> | undefined => {
  const errors = requiredFields
    .filter((field) => isMissing(fieldValue(card, field)))
    .map((path): FieldError => ({ path, message: 'is required to enter this stage' }));
  if (errors.length === 0) return undefined;
  return refuse('VALIDATION_ERROR', { detail: 'The card lacks fields that its stage requires.', errors });
};

/** 409 for a card that would enter an archived pipeline. */
export const checkArchived = ({ archived }: Pipeline): Refusal<'CONFLICT'> | undefined =>
  archived
    ? refuse('CONFLICT', { detail: 'The pipeline is archived.', meta: { code: 'PIPELINE_ARQUIVADO' } })
    : undefined;

/** 409: a won or lost card can't be closed again, an open one can't be reopened. */
export const refuseStatus = (status: CardStatus): Refusal<'CONFLICT'> =>
  refuse('CONFLICT', status === 'aberto' ? 'The card is open.' : 'The card is already won or lost.');

/** A stage of a pipeline by its id; 422 naming the field if the pipeline has none. */
export const stageOf = ({ stages }: Pipeline, id: string): Stage | Refusal<'VALIDATION_ERROR'> =>
  stages.find((stage) => stage.id === id) ??
  refuseField('The stage does not belong to the pipeline.', 'estagioId', 'must be a stage of the pipeline');

/** The card with another status, and the dependent times, reason and open stage. */
export const withStatus = (card: Card, status: CardStatus, now: number, lossReason?: string): Card => {
  const isSame = card.status === status;
  return {
    ...card,
    status,
    wonAt: status === 'ganho' ? (isSame ? card.wonAt : now) : undefined,
    lostAt: status === 'perdido' ? (isSame ? card.lostAt : now) : undefined,
    lossReason: status === 'perdido' ? (lossReason ?? card.lossReason) : undefined,
    openStageId: status === 'aberto' ? undefined : card.status === 'aberto' ? card.stageId : card.openStageId,
    stalled: status === 'aberto' && isSame && card.stalled,
  };
};

const DAY_MS = 24 * 3_600_000;
/** When an open card becomes stalled (ms); undefined if the stage has no limit or the card is not open. */
export const stalledAt = ({ status, stageSince }: Card, { maxDays }: Stage): number | undefined =>
  maxDays === undefined || status !== 'aberto' ? undefined : stageSince + maxDays * DAY_MS;

/** The card with the time of its next stalled check. An earlier one is kept: its worker sets the next. */
export const withCheck = (card: Card, stage: Stage): Card => {
  const at = stalledAt(card, stage);
  return at === undefined || (card.checkAt !== undefined && card.checkAt <= at) ? card : { ...card, checkAt: at };
};

/** The target of a card: a stage of a pipeline, and the position there. */
export interface Target {
  readonly pipeline: Pipeline;
  readonly stage: Stage;
  readonly order: string;
}

/** The card in a stage, with the status of the stage's type. Undefined if it would be lost without a reason. */
export const entered = (card: Card, target: Target, now: number, lossReason?: string): Card => {
  const { pipeline, stage, order } = target;
  const moved = {
    ...withStatus(card, stage.type, now, lossReason),
    pipelineId: pipeline.id,
    stageId: stage.id,
    stageKey: stage.key,
    order,
    stalled: false,
    stageSince: now,
  };
  return withCheck(moved, stage);
};

/** 422 for a lost card without a reason. */
export const checkReason = ({ status, lossReason }: Card): Refusal<'VALIDATION_ERROR'> | undefined =>
  status === 'perdido' && lossReason === undefined
    ? refuseField('A lost card needs a reason.', 'motivoPerda', 'is required in a stage of tipo perdido')
    : undefined;

/** 422 for a loss reason on a card that is not lost. */
export const checkUnlost = ({ status, lossReason }: Card): Refusal<'VALIDATION_ERROR'> | undefined =>
  lossReason !== undefined && status !== 'perdido'
    ? refuseField('Only a lost card can have a reason.', 'motivoPerda', 'must be absent unless the card is lost')
    : undefined;

/** The first refusal, or undefined. */
export const firstOf = <R extends Refusal>(...checks: readonly (R | undefined)[]): R | undefined =>
  checks.find((check) => check !== undefined);
