import type { ExampleSource, NumberPlatform, PlatformAnswer } from '../numbers/platform.ts';
import { componentType } from './components.ts';
import type { TemplateComponent, TemplatePorts, WhatsappTemplate } from './template.ts';

/** The types of file that each form of header shows (WhatsApp, template components: media header). */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  IMAGE: ['image/jpeg', 'image/png'],
  VIDEO: ['video/mp4'],
  GIF: ['video/mp4'],
  DOCUMENT: ['application/pdf'],
};

interface MediaHeader {
  readonly format?: unknown;
  readonly example?: { readonly header_handle?: readonly unknown[] };
}
type Handles = (header: MediaHeader, exampleUrl: string | undefined) => Promise<PlatformAnswer<MediaHeader>>;
const done = <T>(value: T): PlatformAnswer<T> => ({ kind: 'done', value });

/** Where the example of a header lies that the platform has no handle of yet: a stored upload of the organization's, else an address. */
const sourceOf = async (
  { findMedia, clock }: TemplatePorts,
  { organizationId }: WhatsappTemplate,
  header: MediaHeader,
  exampleUrl: string | undefined,
): Promise<ExampleSource | undefined> => {
  const given = header.example?.header_handle?.[0];
  if (typeof given !== 'string') return exampleUrl === undefined ? undefined : { url: exampleUrl };
  // Handles of the platform's have colons; ids of media are digits.
  const media = /^\d{1,64}$/.test(given) ? await findMedia(organizationId, given, clock()) : undefined;
  return media && { mediaId: given };
};

/** Nothing was shown to the platform's review yet: whatever happened to an example, the template is what it was. */
const notShown = <T>(answer: PlatformAnswer<T>): PlatformAnswer<T> =>
  answer.kind === 'uncertain' ? { kind: 'refused', cause: 'unavailable', detail: answer.detail } : answer;

const handlesBy =
  (ports: TemplatePorts, platform: NumberPlatform, template: WhatsappTemplate): Handles =>
  async (header, exampleUrl) => {
    const types = typeof header.format === 'string' ? TYPES[header.format.toUpperCase()] : undefined;
    const source = types && (await sourceOf(ports, template, header, exampleUrl));
    if (!types || !source) return done(header);
    const uploaded = notShown(await platform.uploadExample(source, types));
    return uploaded.kind === 'done' ? done({ ...header, example: { header_handle: [uploaded.value] } }) : uploaded;
  };

interface Card {
  readonly components: readonly (MediaHeader & { readonly type: string })[];
}

const cardsWith = async (cards: readonly Card[], handles: Handles): Promise<PlatformAnswer<readonly Card[]>> => {
  const shown: Card[] = [];
  for (const { components } of cards) {
    const parts: Card['components'][number][] = [];
    for (const part of components) {
      const header = part.type.toUpperCase() === 'HEADER' ? await handles(part, undefined) : done(part);
      if (header.kind !== 'done') return header;
      parts.push({ ...part, ...header.value });
    }
    shown.push({ components: parts });
  }
  return done(shown);
};

/**
 * A template's components with the platform's own handles in the place of stored uploads and of `headerExampleUrl`: the platform reviews
 * media headers by an example that it was given before. One that cannot be had refuses the submission.
 */
export const withHandles = async (
  ports: TemplatePorts,
  platform: NumberPlatform,
  template: WhatsappTemplate,
): Promise<PlatformAnswer<readonly TemplateComponent[]>> => {
  const handles = handlesBy(ports, platform, template);
  const shown: TemplateComponent[] = [];
  for (const component of template.components) {
    const type = componentType(component);
    let payload: PlatformAnswer<unknown> = done(component.payload);
    if (type === 'HEADER') payload = await handles(component.payload as MediaHeader, template.headerExampleUrl);
    if (type === 'CAROUSEL') {
      const cards = await cardsWith((component.payload as { cards: readonly Card[] }).cards, handles);
      payload = cards.kind === 'done' ? done({ cards: cards.value }) : cards;
    }
    if (payload.kind !== 'done') return payload;
    shown.push({ ...component, payload: payload.value });
  }
  return done(shown);
};
