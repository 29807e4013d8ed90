import * as z from 'zod';
import type { FieldError } from '../../../core/errors.ts';
import { bodySchema, checkedShape, headerSchema, PART_CHECKS, type PartContext } from './parts.ts';

const CARD_PARTS = ['HEADER', 'BODY', 'BUTTONS'] as const;
type CardPart = (typeof CARD_PARTS)[number];

const cardComponent = z.looseObject({ type: z.string().min(1).max(32) });
/** A carousel in Meta's format (WhatsApp, media card carousel templates): each card has its own components. */
const carouselSchema = z.strictObject({
  cards: z
    .array(z.strictObject({ components: z.array(cardComponent).min(1).max(3) }))
    .min(2)
    .max(10),
});
type Card = z.output<typeof carouselSchema>['cards'][number];

const MAX_CARD_TEXT_LENGTH = 160;
const MAX_CARD_BUTTONS = 2;

const partType = (type: string): CardPart | undefined => CARD_PARTS.find((part) => part === type.toUpperCase());
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The properties that all cards must share: components, header format, button types in order. */
const shapeOf = ({ components }: Card): string =>
  components
    .map(({ type, format, buttons }) => {
      const kinds = listOf(buttons).map((button) => (button as { type?: unknown } | null)?.type);
      return `${partType(type)}:${String(format ?? '')}:${kinds.join(',')}`;
    })
    .sort()
    .join('|');

/** Restrictions of a card beyond those of a template; skips components that are malformed. */
const cardErrors = (part: CardPart, payload: unknown, path: string): readonly FieldError[] => {
  const format = headerSchema.safeParse(payload).data?.format;
  if (part === 'HEADER' && format !== undefined && format !== 'IMAGE' && format !== 'VIDEO')
    return [{ path: `${path}.format`, message: 'a card has an IMAGE or a VIDEO' }];
  if (part === 'BODY' && (bodySchema.safeParse(payload).data?.text.length ?? 0) > MAX_CARD_TEXT_LENGTH)
    return [{ path: `${path}.text`, message: `has at most ${MAX_CARD_TEXT_LENGTH} characters in a card` }];
  const buttons = listOf((payload as { buttons?: unknown }).buttons);
  if (part !== 'BUTTONS') return [];
  if (buttons.length > MAX_CARD_BUTTONS)
    return [{ path: `${path}.buttons`, message: `has at most ${MAX_CARD_BUTTONS} in a card` }];
  const kinds = buttons.map((button) => (button as { type?: unknown } | null)?.type);
  return kinds.every((kind) => kind === 'QUICK_REPLY' || kind === 'URL' || kind === 'PHONE_NUMBER')
    ? []
    : [{ path: `${path}.buttons`, message: 'are QUICK_REPLY, URL or PHONE_NUMBER in a card' }];
};

const validateCard = ({ components }: Card, { category, path }: PartContext): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const parts = components.map(({ type }) => partType(type));
  for (const [at, { type: _, ...payload }] of components.entries()) {
    const part = parts[at];
    const place = `${path}.components.${at}`;
    if (part === undefined || parts.indexOf(part) < at) {
      errors.push({ path: `${place}.type`, message: `must be one of ${CARD_PARTS.join(', ')}, each once` });
      continue;
    }
    errors.push(...PART_CHECKS[part](payload, { category, path: place }), ...cardErrors(part, payload, place));
  }
  if (!parts.includes('HEADER')) errors.push({ path: `${path}.components`, message: 'must have a HEADER' });
  return errors;
};

/** Checks a carousel: 2 to 10 cards with the same components, each with an image or video. */
export const carousel = checkedShape(carouselSchema, ({ cards }, { category, path }) => {
  if (category !== 'marketing') return [{ path, message: 'CAROUSEL is for marketing only' }];
  const errors = cards.flatMap((card, at) => validateCard(card, { category, path: `${path}.cards.${at}` }));
  if (errors.length > 0) return errors;
  const [first, ...others] = cards.map(shapeOf);
  return others.every((other) => other === first)
    ? []
    : [{ path: `${path}.cards`, message: 'must all have the same parts, headers of one form and the same buttons' }];
});

/** A limited-time offer in Meta's format (WhatsApp, limited-time offer templates). */
export const offerSchema = z.strictObject({
  limited_time_offer: z.strictObject({ text: z.string().min(1).max(16), has_expiration: z.boolean().optional() }),
});
export const offer = checkedShape(offerSchema, (_, { category, path }) =>
  category === 'marketing' ? [] : [{ path, message: 'LIMITED_TIME_OFFER is for marketing only' }],
);
