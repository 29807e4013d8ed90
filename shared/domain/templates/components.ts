import { buttonsSchema } from './buttons.ts';
import { carousel, offer, offerSchema } from './carousel.ts';
import { bodySchema, CODE_CHECKS, type Fault, headerSchema, PART_CHECKS, type PartCheck } from './parts.ts';
import { knownPlaceholders } from './placeholders.ts';
import type { TemplateCategory, TemplateComponent } from './template.ts';

/** The parts of a template that this service takes; each stands in it once. */
const COMPONENT_TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'] as const;
export type ComponentType = (typeof COMPONENT_TYPES)[number];

/** `type` as the platform writes it. */
export const componentType = ({ type }: Pick<TemplateComponent, 'type'>): ComponentType | undefined =>
  COMPONENT_TYPES.find((known) => known === type.toUpperCase());

const CHECKS: Readonly<Record<ComponentType, PartCheck>> = {
  ...PART_CHECKS,
  CAROUSEL: carousel,
  LIMITED_TIME_OFFER: offer,
};
const ALL_CODE_CHECKS: Readonly<Record<ComponentType, PartCheck>> = { ...CHECKS, ...CODE_CHECKS };

type Parts = ReadonlyMap<ComponentType, { readonly payload: unknown; readonly path: string }>;

/** The longest body beside an offer. */
const OFFER_BODY = 600;

/** What stands beside an offer: an address, the code first where it runs out, no footer, a short body (limited-time offer templates). */
const besideOffer = (parts: Parts): readonly Fault[] => {
  const found = parts.get('LIMITED_TIME_OFFER');
  if (!found) return [];
  const faults: Fault[] = [];
  const kinds = buttonsSchema.safeParse(parts.get('BUTTONS')?.payload).data?.buttons.map(({ type }) => type) ?? [];
  const buttonsPath = parts.get('BUTTONS')?.path ?? 'components';
  const runsOut = offerSchema.safeParse(found.payload).data?.limited_time_offer.has_expiration === true;
  if (!kinds.includes('URL')) faults.push({ path: buttonsPath, message: 'an offer must have a button of URL' });
  if (runsOut && !kinds.includes('COPY_CODE'))
    faults.push({ path: buttonsPath, message: 'an offer that runs out must have a button of COPY_CODE' });
  if (kinds.indexOf('COPY_CODE') > 0)
    faults.push({ path: buttonsPath, message: 'COPY_CODE must be the first button of an offer' });
  const footer = parts.get('FOOTER');
  if (footer) faults.push({ path: footer.path, message: 'an offer has no footer' });
  const body = bodySchema.safeParse(parts.get('BODY')?.payload).data;
  if ((body?.text.length ?? 0) > OFFER_BODY)
    faults.push({
      path: `${parts.get('BODY')?.path}.text`,
      message: `has at most ${OFFER_BODY} characters in an offer`,
    });
  const format = headerSchema.safeParse(parts.get('HEADER')?.payload).data?.format;
  if (format !== undefined && format !== 'IMAGE' && format !== 'VIDEO')
    faults.push({ path: `${parts.get('HEADER')?.path}.format`, message: 'an offer has an IMAGE, a VIDEO or none' });
  return faults;
};

/** A carousel stands beside a body and nothing else. */
const besideCarousel = (parts: Parts): readonly Fault[] =>
  parts.has('CAROUSEL')
    ? [...parts].flatMap(([type, { path }]) =>
        type === 'CAROUSEL' || type === 'BODY' ? [] : [{ path, message: 'stands beside no CAROUSEL' }],
      )
    : [];

/** A template names its variables or numbers them, in all of its texts alike. */
const mixedFormats = (parts: Parts): readonly Fault[] => {
  const header = headerSchema.safeParse(parts.get('HEADER')?.payload).data;
  const body = bodySchema.safeParse(parts.get('BODY')?.payload).data;
  const texts = [header?.format === 'TEXT' ? header.text : '', body?.text ?? ''];
  const formats = new Set(
    texts.map(knownPlaceholders).flatMap(({ names, format }) => (names.length > 0 ? [format] : [])),
  );
  const path = parts.get('HEADER')?.path ?? 'components';
  return formats.size > 1 ? [{ path: `${path}.text`, message: 'header and body must both name or both number' }] : [];
};

/**
 * What is wrong with a template's components by the platform's documented rules (WhatsApp Cloud API, template components, authentication
 * templates, media card carousel templates, limited-time offer templates): every fault at once, with its path. None when it may be submitted.
 */
export const componentFaults = (
  components: readonly TemplateComponent[],
  category: TemplateCategory,
  headerExampleUrl?: string,
): readonly Fault[] => {
  const faults: Fault[] = [];
  const parts = new Map<ComponentType, { payload: unknown; path: string }>();
  for (const [at, component] of components.entries()) {
    const type = componentType(component);
    const path = `components.${at}.payload`;
    if (type === undefined) {
      faults.push({ path: `components.${at}.type`, message: `must be one of ${COMPONENT_TYPES.join(', ')}` });
      continue;
    }
    if (parts.has(type)) faults.push({ path: `components.${at}.type`, message: 'stands in the template already' });
    else parts.set(type, { payload: component.payload, path });
    const check = (category === 'authentication' ? ALL_CODE_CHECKS : CHECKS)[type];
    faults.push(...check(component.payload, { category, path, headerExampleUrl }));
  }
  if (!parts.has('BODY')) faults.push({ path: 'components', message: 'must have a BODY' });
  if (category === 'authentication' && !parts.has('BUTTONS'))
    faults.push({ path: 'components', message: 'must have a button of OTP' });
  return [...faults, ...besideOffer(parts), ...besideCarousel(parts), ...mixedFormats(parts)];
};
