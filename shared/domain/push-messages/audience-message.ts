import { LISTED_DEVICES, rateKindOf } from '../channels/push/message.ts';
import type { PushContent } from '../channels/push/notification.ts';
import type { PushPlatform } from '../channels/push/transport.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { asCoins } from '../core/money.ts';
import { definedFields } from '../core/patch.ts';
import { saoPauloMonth } from '../core/time.ts';
import type { Decision, MessageOf } from '../message/message.ts';
import type { PriceRow } from '../pricing/prices.ts';
import { type Draft, draft, pricedMessage } from '../sending/draft.ts';
import type { SendPlan } from '../sending/plan.ts';
import { audienceSelector } from './audience.ts';
import type { Claim, CreatePushPorts } from './ports.ts';
import type { DevicePrice } from './preview.ts';

/** The parsed body of a push send. */
export interface PushRequest extends PushContent {
  readonly platforms: readonly PushPlatform[];
  readonly segment?: string | undefined;
  readonly tokenIds?: readonly Id<'pushToken'>[] | undefined;
  /** ISO 8601. */
  readonly scheduledAt?: string | undefined;
}

/** The devices whose rows an attempt wrote. */
interface Built {
  readonly claim: Claim;
  readonly createdAt: number;
  readonly devices: number;
  readonly extents: readonly number[];
}

/** The plan of a push message to an audience: one unit per device. */
const planOf = (
  request: PushRequest,
  { devices: units, extents }: Built,
  price: PriceRow,
): SendPlan & { readonly channel: 'push' } => {
  const { platforms, segment: _, tokenIds = [], scheduledAt, ...notification } = request;
  const selector = audienceSelector(request);
  const segment = 'segment' in selector ? selector.segment : undefined;
  const [only] = tokenIds;
  return {
    channel: 'push',
    route: rateKindOf(notification),
    to: segment ?? (only !== undefined && tokenIds.length === 1 ? only : LISTED_DEVICES),
    type: 'text',
    content: {
      payload: definedFields(notification),
      platforms: [...platforms],
      extents: [...extents],
      ...(segment === undefined ? {} : { segment }),
    },
    units,
    links: [],
    price,
    requiresConsent: true,
    scheduledAt: scheduledAt === undefined ? undefined : Date.parse(scheduledAt),
  };
};

/** Without devices there is nothing to send or charge. */
const ENDED = { status: 'sent', hold: 'captured' } as const;

/** The message to an audience, from the chunks written for its devices. */
export const audienceMessage = async (
  ports: CreatePushPorts,
  tenant: Tenant,
  request: PushRequest,
  build: Built,
  { price, band, coinsEach }: DevicePrice,
): Promise<MessageOf<'push'>> => {
  const { claim, createdAt, devices: reach } = build;
  const plan = planOf(request, build, price);
  const requestedAt = Math.max(plan.scheduledAt ?? 0, createdAt);
  const at = await ports.earliestSendAt(tenant.organizationId, requestedAt);
  const initial = { status: 'queued', at } as const;
  const drafted = await draft({ ...ports, clock: () => createdAt }, tenant, plan, claim, initial);
  const deferral: Decision = { at: createdAt, kind: 'deferred', detail: 'quiet hours' };
  const message = pricedMessage(plan, initial, { ...drafted, id: claim.messageId } as Draft, {
    coins: asCoins(reach * coinsEach),
    band,
    // Push messages take no positions of the month.
    positions: [],
    month: saoPauloMonth(createdAt),
  });
  return {
    ...message,
    ...(at > requestedAt ? { deferredTo: at, decisions: [...message.decisions, deferral] } : {}),
    ...(reach === 0 ? { ...ENDED, sentAt: createdAt } : {}),
  } as MessageOf<'push'>;
};
