import * as z from 'zod';
import { bodySchema, checked, type Fault, headerSchema, PART_CHECKS, type PartContext } from './parts.ts';

const CARD_PARTS = ['HEADER', 'BODY', 'BUTTONS'] as const;
type CardPart = (typeof CARD_PARTS)[number];

const cardComponent = z.looseObject({ type: z.string().min(1).max(32) });
/** A carousel as the platform writes it (WhatsApp, media card carousel templates): each card with parts of its own. */
const carouselSchema = z.strictObject({
  cards: z
    .array(z.strictObject({ components: z.array(cardComponent).min(1).max(3) }))
    .min(2)
    .max(10),
});
type Card = z.output<typeof carouselSchema>['cards'][number];

/** The longest text of a card, and the most buttons. */
const CARD_TEXT = 160;
const CARD_BUTTONS = 2;

const partType = (type: string): CardPart | undefined => CARD_PARTS.find((part) => part === type.toUpperCase());
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What all cards must have alike: their parts, the form of the header and the kinds of the buttons, in their order. */
const shapeOf = ({ components }: Card): string =>
  components
    .map(({ type, format, buttons }) => {
      const kinds = listOf(buttons).map((button) => (button as { type?: unknown } | null)?.type);
      return `${partType(type)}:${String(format ?? '')}:${kinds.join(',')}`;
    })
    .sort()
    .join('|');

/** What a card may not have that a template may; only of parts whose form is right. */
const cardFaults = (part: CardPart, payload: unknown, path: string): readonly Fault[] => {
  const format = headerSchema.safeParse(payload).data?.format;
  if (part === 'HEADER' && format !== undefined && format !== 'IMAGE' && format !== 'VIDEO')
    return [{ path: `${path}.format`, message: 'a card has an IMAGE or a VIDEO' }];
  if (part === 'BODY' && (bodySchema.safeParse(payload).data?.text.length ?? 0) > CARD_TEXT)
    return [{ path: `${path}.text`, message: `has at most ${CARD_TEXT} characters in a card` }];
  const buttons = listOf((payload as { buttons?: unknown }).buttons);
  if (part !== 'BUTTONS') return [];
  if (buttons.length > CARD_BUTTONS)
    return [{ path: `${path}.buttons`, message: `has at most ${CARD_BUTTONS} in a card` }];
  const kinds = buttons.map((button) => (button as { type?: unknown } | null)?.type);
  return kinds.every((kind) => kind === 'QUICK_REPLY' || kind === 'URL' || kind === 'PHONE_NUMBER')
    ? []
    : [{ path: `${path}.buttons`, message: 'are QUICK_REPLY, URL or PHONE_NUMBER in a card' }];
};

const faultsOfCard = ({ components }: Card, { category, path }: PartContext): readonly Fault[] => {
  const faults: Fault[] = [];
  const parts = components.map(({ type }) => partType(type));
  for (const [at, { type: _, ...payload }] of components.entries()) {
    const part = parts[at];
    const place = `${path}.components.${at}`;
    if (part === undefined || parts.indexOf(part) < at) {
      faults.push({ path: `${place}.type`, message: `must be one of ${CARD_PARTS.join(', ')}, each once` });
      continue;
    }
    faults.push(...PART_CHECKS[part](payload, { category, path: place }), ...cardFaults(part, payload, place));
  }
  if (!parts.includes('HEADER')) faults.push({ path: `${path}.components`, message: 'must have a HEADER' });
  return faults;
};

/** What is wrong with a carousel: 2 to 10 cards of the same parts, each with a picture or a film. */
export const carousel = checked(carouselSchema, ({ cards }, { category, path }) => {
  if (category !== 'marketing') return [{ path, message: 'CAROUSEL is for marketing alone' }];
  const faults = cards.flatMap((card, at) => faultsOfCard(card, { category, path: `${path}.cards.${at}` }));
  if (faults.length > 0) return faults;
  const [first, ...others] = cards.map(shapeOf);
  return others.every((other) => other === first)
    ? []
    : [{ path: `${path}.cards`, message: 'must all have the same parts, headers of one form and the same buttons' }];
});

/** An offer that ends, as the platform writes it (WhatsApp, limited-time offer templates). */
export const offerSchema = z.strictObject({
  limited_time_offer: z.strictObject({ text: z.string().min(1).max(16), has_expiration: z.boolean().optional() }),
});
export const offer = checked(offerSchema, (_, { category, path }) =>
  category === 'marketing' ? [] : [{ path, message: 'LIMITED_TIME_OFFER is for marketing alone' }],
);
