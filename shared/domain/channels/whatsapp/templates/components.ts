import type { FieldError } from '../../../core/errors.ts';
import { buttonsSchema } from './buttons.ts';
import { carousel, offer, offerSchema } from './carousel.ts';
import { AUTHENTICATION_PART_CHECKS, bodySchema, headerSchema, PART_CHECKS, type PartCheck } from './parts.ts';
import { validPlaceholders } from './placeholders.ts';
import type { TemplateCategory, TemplateComponent } from './template.ts';

/** Supported component types; each at most once per template. */
const COMPONENT_TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'] as const;
export type ComponentType = (typeof COMPONENT_TYPES)[number];

/** Normalizes `type` to Meta's upper case; undefined if unsupported. */
export const componentType = ({ type }: Pick<TemplateComponent, 'type'>): ComponentType | undefined =>
  COMPONENT_TYPES.find((known) => known === type.toUpperCase());

const CHECKS: Readonly<Record<ComponentType, PartCheck>> = {
  ...PART_CHECKS,
  CAROUSEL: carousel,
  LIMITED_TIME_OFFER: offer,
};
const AUTHENTICATION_CHECKS: Readonly<Record<ComponentType, PartCheck>> = { ...CHECKS, ...AUTHENTICATION_PART_CHECKS };

type Parts = ReadonlyMap<ComponentType, { readonly payload: unknown; readonly path: string }>;

const MAX_OFFER_BODY_LENGTH = 600;

/**
 * Rules of limited-time offers: a URL button, first a coupon code if it expires, no footer, a short body (limited-time offer templates).
 */
const offerErrors = (parts: Parts): readonly FieldError[] => {
  const found = parts.get('LIMITED_TIME_OFFER');
  if (!found) return [];
  const errors: FieldError[] = [];
  const kinds = buttonsSchema.safeParse(parts.get('BUTTONS')?.payload).data?.buttons.map(({ type }) => type) ?? [];
  const buttonsPath = parts.get('BUTTONS')?.path ?? 'components';
  const runsOut = offerSchema.safeParse(found.payload).data?.limited_time_offer.has_expiration === true;
  if (!kinds.includes('URL')) errors.push({ path: buttonsPath, message: 'an offer must have a button of URL' });
  if (runsOut && !kinds.includes('COPY_CODE'))
    errors.push({ path: buttonsPath, message: 'an offer that runs out must have a button of COPY_CODE' });
  if (kinds.indexOf('COPY_CODE') > 0)
    errors.push({ path: buttonsPath, message: 'COPY_CODE must be the first button of an offer' });
  const footer = parts.get('FOOTER');
  if (footer) errors.push({ path: footer.path, message: 'an offer has no footer' });
  const body = bodySchema.safeParse(parts.get('BODY')?.payload).data;
  if ((body?.text.length ?? 0) > MAX_OFFER_BODY_LENGTH)
    errors.push({
      path: `${parts.get('BODY')?.path}.text`,
      message: `has at most ${MAX_OFFER_BODY_LENGTH} characters in an offer`,
    });
  const format = headerSchema.safeParse(parts.get('HEADER')?.payload).data?.format;
  if (format !== undefined && format !== 'IMAGE' && format !== 'VIDEO')
    errors.push({ path: `${parts.get('HEADER')?.path}.format`, message: 'an offer has an IMAGE, a VIDEO or none' });
  return errors;
};

/** A carousel may only be combined with a body. */
const carouselErrors = (parts: Parts): readonly FieldError[] =>
  parts.has('CAROUSEL')
    ? [...parts].flatMap(([type, { path }]) =>
        type === 'CAROUSEL' || type === 'BODY' ? [] : [{ path, message: 'cannot be combined with a CAROUSEL' }],
      )
    : [];

/** Header and body must both use named or both use numbered variables. */
const mixedFormatErrors = (parts: Parts): readonly FieldError[] => {
  const header = headerSchema.safeParse(parts.get('HEADER')?.payload).data;
  const body = bodySchema.safeParse(parts.get('BODY')?.payload).data;
  const texts = [header?.format === 'TEXT' ? header.text : '', body?.text ?? ''];
  const formats = new Set(
    texts.map(validPlaceholders).flatMap(({ names, format }) => (names.length > 0 ? [format] : [])),
  );
  const path = parts.get('HEADER')?.path ?? 'components';
  return formats.size > 1 ? [{ path: `${path}.text`, message: 'header and body must both name or both number' }] : [];
};

/**
 * All errors of a template's components by Meta's documented rules, with their paths (WhatsApp Cloud API, template components,
 * authentication templates, media card carousel templates, limited-time offer templates). Empty if it can be submitted.
 */
export const componentErrors = (
  components: readonly TemplateComponent[],
  category: TemplateCategory,
  headerExampleUrl?: string,
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const parts = new Map<ComponentType, { payload: unknown; path: string }>();
  for (const [at, component] of components.entries()) {
    const type = componentType(component);
    const path = `components.${at}.payload`;
    if (type === undefined) {
      errors.push({ path: `components.${at}.type`, message: `must be one of ${COMPONENT_TYPES.join(', ')}` });
      continue;
    }
    if (parts.has(type)) errors.push({ path: `components.${at}.type`, message: 'is in the template already' });
    else parts.set(type, { payload: component.payload, path });
    const check = (category === 'authentication' ? AUTHENTICATION_CHECKS : CHECKS)[type];
    errors.push(...check(component.payload, { category, path, headerExampleUrl }));
  }
  if (!parts.has('BODY')) errors.push({ path: 'components', message: 'must have a BODY' });
  if (category === 'authentication' && !parts.has('BUTTONS'))
    errors.push({ path: 'components', message: 'must have a button of OTP' });
  return [...errors, ...offerErrors(parts), ...carouselErrors(parts), ...mixedFormatErrors(parts)];
};
