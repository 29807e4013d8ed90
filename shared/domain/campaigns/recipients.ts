import * as z from 'zod';
import type { Tenant } from '../core/actor.ts';
import { type CursorItems, encodeCursor, type GivenCursor, openCursor } from '../core/cursor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { MessageRecord } from '../message/message.ts';
import { UNIFIED_STATUSES, unifiedStatus } from '../tracking/views.ts';
import { type Campaign, type Portion, variantChooser, variantsOf } from './campaign.ts';
import { findCampaign } from './campaigns.ts';
import type { PortionPorts } from './ports.ts';

/** The status of a recipient's message; `pending`: not accepted yet, `skipped`: gets none. */
export const RECIPIENT_STATUSES = ['pending', 'skipped', ...UNIFIED_STATUSES] as const;
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

/** A recipient of a campaign. */
export interface Recipient {
  readonly contactId: Id<'contact'>;
  readonly status: RecipientStatus;
  readonly variant?: string | undefined;
  readonly messageId?: Id<'message'> | undefined;
  /** Why a skipped one gets no message. */
  readonly reason?: string | undefined;
}

interface Request extends GivenCursor {
  readonly limit: number;
  readonly status?: RecipientStatus | undefined;
  readonly variant?: string | undefined;
}
type Ports = Pick<PortionPorts, 'contactsOf' | 'portions' | 'readMessages' | 'store'>;

/** Maximum recipients examined per page, which bounds its cost however rare matches are. */
const MAX_SCANNED = 1_000;
/** Recipients whose messages are read together. */
const PIECE = 100;

/** The next recipient to examine: its portion, and its index in it. */
const position = z.tuple([z.int().min(0), z.int().min(0)]);

/** The state of some recipients of a portion, in order; those of deleted contacts are omitted. */
const describe = async (
  ports: Ports,
  campaign: Campaign,
  portion: Portion,
  numbers: readonly number[],
): Promise<(Recipient | undefined)[]> => {
  const sent = new Map(portion.sent);
  const skipped = new Map(portion.skipped);
  const ids = numbers.flatMap((number) => sent.get(number) ?? []);
  const unsent = numbers.filter((number) => !sent.has(number));
  const [messages, contacts] = await Promise.all([
    ids.length === 0 ? [] : ports.readMessages(ids),
    unsent.length === 0 ? new Map() : ports.contactsOf(campaign.organizationId, unsent),
  ]);
  const byId = new Map(
    messages.flatMap((message): [string, MessageRecord][] => (message ? [[message.id, message]] : [])),
  );
  const variants = variantsOf(campaign);
  const choose = variantChooser(campaign);
  return numbers.map((number) => {
    const message = byId.get(sent.get(number) ?? '');
    const contactId = message?.contactId ?? contacts.get(number)?.id;
    if (contactId === undefined) return undefined;
    const reason = skipped.get(number);
    const status = message ? unifiedStatus(message) : reason === undefined ? 'pending' : 'skipped';
    return { contactId, status, variant: variants[choose(number)]?.name, messageId: message?.id, reason };
  });
};

/**
 * A page of a campaign's recipients, in the order in which they joined the organization (docs/spec/campaigns.md#recipients). A page ends
 * after examining 1,000 recipients, however few matched: the list ends when `nextCursor` is absent. 400 for a cursor of another list.
 */
export const campaignRecipients = async (
  ports: Ports,
  actor: Tenant,
  id: Id<'campaign'>,
  request: Request,
): Promise<CursorItems<Recipient> | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const campaign = await findCampaign(ports, actor, id);
  if (isRefusal(campaign)) return campaign;
  const from = openCursor(position, request);
  if (isRefusal(from)) return from;
  const { limit, status, variant } = request;
  if (variant !== undefined && !variantsOf(campaign).some(({ name }) => name === variant))
    return refuse('BAD_REQUEST', {
      detail: 'The campaign has no such variant.',
      errors: [{ path: 'variant', message: 'is not a variant of the campaign' }],
    });
  const isRequested = (one: Recipient | undefined): one is Recipient =>
    one !== undefined &&
    (status === undefined || one.status === status) &&
    (variant === undefined || one.variant === variant);
  const items: Recipient[] = [];
  let [number, place] = from ?? [0, 0];
  for (let scanned = 0; number < (campaign.drive?.portions ?? 0); ) {
    const portion = await ports.portions.read(id, number);
    if (!portion) break;
    const numbers = portion.numbers.slice(place, place + PIECE);
    for (const one of await describe(ports, campaign, portion, numbers)) {
      if (items.length === limit || scanned === MAX_SCANNED)
        return { items, nextCursor: encodeCursor(request.vault, request.scope, [number, place]) };
      scanned++;
      place++;
      if (isRequested(one)) items.push(one);
    }
    if (place < portion.numbers.length) continue;
    number++;
    place = 0;
  }
  return { items };
};
