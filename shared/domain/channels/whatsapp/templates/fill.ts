import * as z from 'zod';
import { type TemplateButton, takesValue } from './buttons.ts';
import { type ComponentType, componentType } from './components.ts';
import { type ParameterFormat, validPlaceholders } from './placeholders.ts';
import type { WhatsappTemplate } from './template.ts';

/** A filled component in Meta's format (WhatsApp Cloud API, template messages). */
export interface FilledPart {
  readonly type: string;
  readonly sub_type?: string;
  readonly index?: string;
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}
type Contents = Pick<WhatsappTemplate, 'components'>;
/** A component to fill, with its variables. */
interface Slot {
  readonly names: readonly string[];
  fill(values: readonly string[]): FilledPart;
}

/** Lenient schemas: a template may have been imported from Meta. */
const textPart = z.object({ format: z.string().optional(), text: z.string().optional() });
const buttonsPart = z.object({ buttons: z.array(z.looseObject({ type: z.string() })) });
const carouselPart = z.object({ cards: z.array(z.unknown()) });
const offerPart = z.object({ limited_time_offer: z.object({ has_expiration: z.boolean().optional() }) });

const payloadOf = ({ components }: Contents, type: ComponentType): unknown =>
  components.find((component) => componentType(component) === type)?.payload;

const texts = (values: readonly string[]) => values.map((text) => ({ type: 'text', text }));

const textSlot = (type: 'header' | 'body', text: string | undefined): readonly Slot[] => {
  const { names, format } = validPlaceholders(text ?? '');
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

/** Whether a template uses named or numbered variables; numbered if it has none. */
export const parameterFormat = (template: Contents): ParameterFormat => {
  const { header, body } = textsOf(template);
  return [header, body].some((text) => validPlaceholders(text ?? '').format === 'named') ? 'named' : 'positional';
};

/** The slots of a template in the order of its variables: header, body, buttons. */
const slotsOf = (template: Contents): readonly Slot[] => {
  const { header, body } = textsOf(template);
  return [...textSlot('header', header), ...textSlot('body', body), ...buttonSlots(payloadOf(template, 'BUTTONS'))];
};

/** Meta lists a one-time code button not as OTP, as it was created, but as a URL that ends with the code. */
const isOtpUrl = (url: string): boolean =>
  url.startsWith('https://www.whatsapp.com/otp/') && url.includes('code=otp{{');
const buttonOf = z.object({ type: z.string(), url: z.string().optional() });

/**
 * Whether a template carries a one-time code, recognized by its button. Not by category: Meta may recategorize any template as
 * authentication without changing its components.
 */
export const isOneTimeCode = (template: Contents): boolean =>
  (buttonsPart.safeParse(payloadOf(template, 'BUTTONS')).data?.buttons ?? []).some((each) => {
    const { type, url } = buttonOf.safeParse(each).data ?? {};
    return type === 'OTP' || (url !== undefined && isOtpUrl(url));
  });

/** A one-time code template has a single variable, the code, used in the body and in the copy button. */
const oneTimeCodeParts = (code: string): readonly FilledPart[] => [
  { type: 'body', parameters: texts([code]) },
  { type: 'button', sub_type: 'url', index: '0', parameters: texts([code]) },
];

/**
 * The variables of a template, in order. A name used in header and body is one variable; numbers are local to each text, so {{1}} of header
 * and body are two variables.
 */
export const templateVariables = (template: Contents): readonly string[] => {
  if (isOneTimeCode(template)) return ['1'];
  const names = slotsOf(template).flatMap((slot) => slot.names);
  return parameterFormat(template) === 'named' ? [...new Set(names)] : names;
};

/** Fills a template's components with values in the order of `templateVariables`. */
export const filledParts = (template: Contents, values: readonly string[]): readonly FilledPart[] => {
  if (isOneTimeCode(template)) return oneTimeCodeParts(values[0] ?? '');
  if (parameterFormat(template) === 'named') {
    const taken = templateVariables(template);
    return slotsOf(template).map(({ names, fill }) => fill(names.map((name) => values[taken.indexOf(name)] ?? '')));
  }
  let at = 0;
  return slotsOf(template).map(({ names, fill }) => {
    at += names.length;
    return fill(values.slice(at - names.length, at));
  });
};

/** A component that variables cannot fill; the send must provide it in Meta's format. */
interface RequiredPart {
  readonly type: 'header' | 'limited_time_offer' | 'carousel';
  readonly what: string;
  /** Number of cards, for a carousel. */
  readonly cards?: number;
}

/** Components that a send must provide besides variables: a header's file, a carousel's cards, an offer's expiration. */
export const requiredParts = (template: Contents): readonly RequiredPart[] => {
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
