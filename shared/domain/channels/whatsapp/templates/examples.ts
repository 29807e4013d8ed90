import type { ExampleSource, MetaAnswer, MetaApi } from '../numbers/meta-port.ts';
import { componentType } from './components.ts';
import type { TemplateComponent, TemplatePorts, WhatsappTemplate } from './template.ts';

/** MIME types per header format (WhatsApp, template components: media header). */
const MIME_TYPES: Readonly<Record<string, readonly string[]>> = {
  IMAGE: ['image/jpeg', 'image/png'],
  VIDEO: ['video/mp4'],
  GIF: ['video/mp4'],
  DOCUMENT: ['application/pdf'],
};

interface MediaHeader {
  readonly format?: unknown;
  readonly example?: { readonly header_handle?: readonly unknown[] };
}
type Handles = (header: MediaHeader, exampleUrl: string | undefined) => Promise<MetaAnswer<MediaHeader>>;
const done = <T>(value: T): MetaAnswer<T> => ({ kind: 'done', value });

/** The source of an example that has no Meta handle yet: a stored upload of the organization, else a URL. */
const sourceOf = async (
  { findMedia, clock }: TemplatePorts,
  { organizationId }: WhatsappTemplate,
  header: MediaHeader,
  exampleUrl: string | undefined,
): Promise<ExampleSource | undefined> => {
  const given = header.example?.header_handle?.[0];
  if (typeof given !== 'string') return exampleUrl === undefined ? undefined : { url: exampleUrl };
  // Meta's handles contain colons; media ids are digits.
  const media = /^\d{1,64}$/.test(given) ? await findMedia(organizationId, given, clock()) : undefined;
  return media && { mediaId: given };
};

/** Meta has not reviewed anything yet, so an uncertain upload of an example is safe to report as unavailable. */
const beforeReview = <T>(answer: MetaAnswer<T>): MetaAnswer<T> =>
  answer.kind === 'uncertain' ? { kind: 'refused', cause: 'unavailable', detail: answer.detail } : answer;

const handlesBy =
  (ports: TemplatePorts, metaApi: MetaApi, template: WhatsappTemplate): Handles =>
  async (header, exampleUrl) => {
    const types = typeof header.format === 'string' ? MIME_TYPES[header.format.toUpperCase()] : undefined;
    const source = types && (await sourceOf(ports, template, header, exampleUrl));
    if (!types || !source) return done(header);
    const uploaded = beforeReview(await metaApi.uploadExample(source, types));
    return uploaded.kind === 'done' ? done({ ...header, example: { header_handle: [uploaded.value] } }) : uploaded;
  };

interface Card {
  readonly components: readonly (MediaHeader & { readonly type: string })[];
}

const withCardHandles = async (cards: readonly Card[], handles: Handles): Promise<MetaAnswer<readonly Card[]>> => {
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
 * Replaces stored uploads and `headerExampleUrl` by Meta handles, as Meta reviews media headers by an example uploaded beforehand. A failed
 * upload refuses the submission.
 */
export const withExampleHandles = async (
  ports: TemplatePorts,
  metaApi: MetaApi,
  template: WhatsappTemplate,
): Promise<MetaAnswer<readonly TemplateComponent[]>> => {
  const handles = handlesBy(ports, metaApi, template);
  const shown: TemplateComponent[] = [];
  for (const component of template.components) {
    const type = componentType(component);
    let payload: MetaAnswer<unknown> = done(component.payload);
    if (type === 'HEADER') payload = await handles(component.payload as MediaHeader, template.headerExampleUrl);
    if (type === 'CAROUSEL') {
      const cards = await withCardHandles((component.payload as { cards: readonly Card[] }).cards, handles);
      payload = cards.kind === 'done' ? done({ cards: cards.value }) : cards;
    }
    if (payload.kind !== 'done') return payload;
    shown.push({ ...component, payload: payload.value });
  }
  return done(shown);
};
