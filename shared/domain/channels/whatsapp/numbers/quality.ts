import type { Environment } from '../../../core/actor.ts';
import { type DomainEvent, newEvent } from '../../../events/event.ts';
import type { QualityRating, WhatsappNumber } from './number.ts';

/** The event of a changed quality rating; none if it is unchanged. */
export const qualityEvents = (
  before: WhatsappNumber,
  qualityRating: QualityRating,
  env: Environment,
  now: number,
): readonly DomainEvent[] =>
  before.qualityRating === qualityRating
    ? []
    : [
        newEvent({
          type: 'number.quality_changed',
          organizationId: before.organizationId,
          env,
          createdAt: now,
          data: {
            numberId: before.id,
            phoneNumberId: before.phoneNumberId,
            qualityRating,
            previousRating: before.qualityRating,
          },
        }),
      ];
