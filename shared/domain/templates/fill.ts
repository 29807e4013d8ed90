import * as z from 'zod';
import { type TemplateButton, takesValue } from './buttons.ts';
import { type ComponentType, componentType } from './components.ts';
import { knownPlaceholders, type ParameterFormat } from './placeholders.ts';
import type { WhatsappTemplate } from './template.ts';

/** A part of a template that a send fills, as the platform takes it (WhatsApp Cloud API, template messages). */
export interface FilledPart {
  readonly type: string;
  readonly sub_type?: string;
  readonly index?: string;
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}
type Contents = Pick<WhatsappTemplate, 'components'>;
/** A part before it is filled, with the variables that it takes. */
interface Slot {
  readonly names: readonly string[];
  fill(values: readonly string[]): FilledPart;
}

/** Read as the platform writes it, whatever else stands there: a template may come from the platform. */
const textPart = z.object({ format: z.string().optional(), text: z.string().optional() });
const buttonsPart = z.object({ buttons: z.array(z.looseObject({ type: z.string() })) });
const carouselPart = z.object({ cards: z.array(z.unknown()) });
const offerPart = z.object({ limited_time_offer: z.object({ has_expiration: z.boolean().optional() }) });

const payloadOf = ({ components }: Contents, type: ComponentType): unknown =>
  components.find((component) => componentType(component) === type)?.payload;

const texts = (values: readonly string[]) => values.map((text) => ({ type: 'text', text }));

const textSlot = (type: 'header' | 'body', text: string | undefined): readonly Slot[] => {
  const { names, format } = knownPlaceholders(text ?? '');
  if (names.length === 0) return [];
  const fill = (values: readonly string[]): FilledPart => ({
    type,
    parameters: values.map((value, at) => ({
      type: 'text',
      ...(format === 'named' ? { parameter_name: names[at] } : {}),
      text: value,
    })),
  });
  return [{ names, fill }];
};

const buttonSlots = (payload: unknown): readonly Slot[] =>
  (buttonsPart.safeParse(payload).data?.buttons ?? []).flatMap((button, at) => {
    if (!takesValue(button as unknown as TemplateButton)) return [];
    const index = String(at);
    const fill = (values: readonly string[]): FilledPart =>
      button.type === 'COPY_CODE'
        ? {
            type: 'button',
            sub_type: 'copy_code',
            index,
            parameters: values.map((code) => ({ type: 'coupon_code', coupon_code: code })),
          }
        : { type: 'button', sub_type: 'url', index, parameters: texts(values) };
    return [{ names: [`button ${at}`], fill }];
  });

const textsOf = (template: Contents): { readonly header: string | undefined; readonly body: string | undefined } => {
  const header = textPart.safeParse(payloadOf(template, 'HEADER')).data;
  return {
    header: header?.format === 'TEXT' ? header.text : undefined,
    body: textPart.safeParse(payloadOf(template, 'BODY')).data?.text,
  };
};

/** Whether a template numbers its variables or names them; one without any numbers them. */
export const parameterFormat = (template: Contents): ParameterFormat => {
  const { header, body } = textsOf(template);
  return [header, body].some((text) => knownPlaceholders(text ?? '').format === 'named') ? 'named' : 'positional';
};

/** The slots of a template in the order in which its variables are counted: header, body, buttons. */
const slotsOf = (template: Contents): readonly Slot[] => {
  const { header, body } = textsOf(template);
  return [...textSlot('header', header), ...textSlot('body', body), ...buttonSlots(payloadOf(template, 'BUTTONS'))];
};

/** How the platform lists the button of a code: not as the OTP that it was made as, but as an address of its own that ends with the code. */
const isCodeAddress = (url: string): boolean =>
  url.startsWith('https://www.whatsapp.com/otp/') && url.includes('code=otp{{');
const buttonOf = z.object({ type: z.string(), url: z.string().optional() });

/**
 * Whether a template carries a one-time code, which its button tells. Its category does not: the platform may find any template to be
 * one of authentication, and what that takes stays what its parts take.
 */
export const carriesCode = (template: Contents): boolean =>
  (buttonsPart.safeParse(payloadOf(template, 'BUTTONS')).data?.buttons ?? []).some((each) => {
    const { type, url } = buttonOf.safeParse(each).data ?? {};
    return type === 'OTP' || (url !== undefined && isCodeAddress(url));
  });

/** A template of a one-time code has one variable, the code: in the body, and in the button that copies it. */
const codeParts = (code: string): readonly FilledPart[] => [
  { type: 'body', parameters: texts([code]) },
  { type: 'button', sub_type: 'url', index: '0', parameters: texts([code]) },
];

/**
 * The variables that a send of a template gives, in their order. A name that stands in header and body is one variable; numbers are each
 * text's own, so that the first of the header and the first of the body are two.
 */
export const variablesTaken = (template: Contents): readonly string[] => {
  if (carriesCode(template)) return ['1'];
  const names = slotsOf(template).flatMap((slot) => slot.names);
  return parameterFormat(template) === 'named' ? [...new Set(names)] : names;
};

/** A template's parts with the values of its variables, given in the order of `variablesTaken`. */
export const filledParts = (template: Contents, values: readonly string[]): readonly FilledPart[] => {
  if (carriesCode(template)) return codeParts(values[0] ?? '');
  if (parameterFormat(template) === 'named') {
    const taken = variablesTaken(template);
    return slotsOf(template).map(({ names, fill }) => fill(names.map((name) => values[taken.indexOf(name)] ?? '')));
  }
  let at = 0;
  return slotsOf(template).map(({ names, fill }) => {
    at += names.length;
    return fill(values.slice(at - names.length, at));
  });
};

/** A part that no variable fills: the send gives it in the platform's own form. */
interface GivenPart {
  readonly type: 'header' | 'limited_time_offer' | 'carousel';
  readonly what: string;
  /** How many cards, of a carousel. */
  readonly cards?: number;
}

/** What a send of a template gives besides its variables: the file of a header, the cards of a carousel, the end of an offer. */
export const partsToGive = (template: Contents): readonly GivenPart[] => {
  const format = textPart.safeParse(payloadOf(template, 'HEADER')).data?.format;
  const cards = carouselPart.safeParse(payloadOf(template, 'CAROUSEL')).data?.cards.length;
  const offer = offerPart.safeParse(payloadOf(template, 'LIMITED_TIME_OFFER')).data?.limited_time_offer;
  return [
    ...(format === undefined || format === 'TEXT'
      ? []
      : [{ type: 'header' as const, what: `a header with its ${format}` }]),
    ...(offer?.has_expiration
      ? [{ type: 'limited_time_offer' as const, what: 'a limited_time_offer with its end' }]
      : []),
    ...(cards === undefined ? [] : [{ type: 'carousel' as const, what: `a carousel of ${cards} cards`, cards }]),
  ];
};
