import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import { type DomainEvent, newEvent } from './event.ts';

/** The campaign that an event is about. */
interface CampaignOfEvent extends Tenant {
  readonly id: Id<'campaign'>;
  readonly name: string;
  readonly campaignTag?: string | undefined;
}

/** The events of a campaign: docs/spec/webhooks.md#campaigns-and-journeys. */
export type CampaignHappening =
  | { readonly type: 'campaign.started'; readonly total: number }
  | { readonly type: 'campaign.paused'; readonly reason: string }
  | {
      readonly type: 'campaign.completed';
      /** ms. */
      readonly startedAt: number;
      readonly progress: Readonly<Record<string, number>>;
      readonly coins: Readonly<Record<'captured' | 'held', number>>;
    };

const campaignData = (happening: CampaignHappening, at: string): Readonly<Record<string, unknown>> => {
  switch (happening.type) {
    case 'campaign.started':
      return { startedAt: at, total: happening.total };
    case 'campaign.paused':
      return { pausedAt: at, pausedBy: { reason: happening.reason, at } };
    case 'campaign.completed': {
      const { startedAt, progress, coins } = happening;
      return { startedAt: isoTime(startedAt), completedAt: at, progress: { ...progress }, coins: { ...coins } };
    }
  }
};

/** Creates the event of a campaign change at `at` (ms). */
export const campaignEvent = (
  { id, organizationId, env, name, campaignTag }: CampaignOfEvent,
  happening: CampaignHappening,
  at: number,
): DomainEvent =>
  newEvent({
    type: happening.type,
    organizationId,
    env,
    createdAt: at,
    data: { campaignId: id, name, ...definedFields({ campaignTag }), ...campaignData(happening, isoTime(at)) },
  });

/** The version of a journey that an event is about; `versaoDe` beyond the first version. */
interface JourneyOfEvent extends Tenant {
  readonly id: Id<'journey'>;
  readonly versao: number;
  readonly versaoDe?: Id<'journey'> | undefined;
}

/** The events of a journey: docs/spec/webhooks.md#campaigns-and-journeys. */
export type JourneyHappening =
  | { readonly type: 'journey.activated' }
  | {
      readonly type: 'journey.paused';
      readonly motivo: string;
      readonly passo: string;
      readonly rotulo?: string | undefined;
    }
  | {
      readonly type: 'journey.run_failed';
      readonly runId: Id<'run'>;
      readonly contactId: Id<'contact'>;
      readonly passo: string;
      readonly motivo: string;
    };

const journeyData = (happening: JourneyHappening, at: string): Readonly<Record<string, unknown>> => {
  switch (happening.type) {
    case 'journey.activated':
      return { ativadaEm: at };
    case 'journey.paused': {
      const { motivo, passo, rotulo } = happening;
      return { pausadaPor: { motivo, passo, ...definedFields({ rotulo }), em: at } };
    }
    case 'journey.run_failed': {
      const { type: _, ...data } = happening;
      return data;
    }
  }
};

/** Creates the event of a change of a journey or one of its runs, at `at` (ms). */
export const journeyEvent = (
  { id, organizationId, env, versao, versaoDe }: JourneyOfEvent,
  happening: JourneyHappening,
  at: number,
): DomainEvent =>
  newEvent({
    type: happening.type,
    organizationId,
    env,
    createdAt: at,
    data: { journeyId: id, versao, ...definedFields({ versaoDe }), ...journeyData(happening, isoTime(at)) },
  });
