import type { TemplateWords } from '../messages/provider.ts';
import { type ComponentType, componentType } from './components.ts';
import { carriesCode } from './fill.ts';
import type { TemplateComponent } from './template.ts';

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = ({ payload }: TemplateComponent): Fields => (payload ?? {}) as Fields;

/** A text as it is now; the example of another text is none of its own. */
const reworded = (component: TemplateComponent, text: string): TemplateComponent => {
  const { example: _, ...rest } = fieldsOf(component);
  return fieldsOf(component).text === text ? component : { ...component, payload: { ...rest, text } };
};

const LINKS: readonly unknown[] = ['URL', 'PHONE_NUMBER'];

/** Buttons as they are reported, each with what is known of it besides its words; without a report, those that are no links. */
const buttonsNow = (before: readonly Fields[], reported: TemplateWords['buttons']): readonly Fields[] =>
  reported === undefined
    ? before.filter(({ type }) => !LINKS.includes(type))
    : reported.map(({ type, text, url, phoneNumber }, at) => {
        const known: Fields = before[at]?.type === type ? (before[at] as Fields) : {};
        const { example: _, ...rest } = known;
        return {
          ...(url === undefined || url === known.url ? known : rest),
          type,
          ...(text === undefined ? {} : { text }),
          ...(url === undefined ? {} : { url }),
          ...(phoneNumber === undefined ? {} : { phone_number: phoneNumber }),
        };
      });

/** A component after a report; undefined for one that is no more. */
const componentNow = (component: TemplateComponent, words: TemplateWords): TemplateComponent | undefined => {
  const fields = fieldsOf(component);
  switch (componentType(component)) {
    case 'BODY':
      return reworded(component, words.body);
    case 'FOOTER':
      return words.footer === undefined ? undefined : reworded(component, words.footer);
    case 'HEADER':
      if (words.header !== undefined && fields.format === 'TEXT') return reworded(component, words.header);
      return words.header === undefined && fields.format === 'TEXT' ? undefined : component;
    case 'BUTTONS': {
      const buttons = buttonsNow((fields.buttons ?? []) as readonly Fields[], words.buttons);
      return buttons.length === 0 ? undefined : { ...component, payload: { ...fields, buttons } };
    }
    default:
      return component;
  }
};

/** The components that a report names and a template did not have. */
const added = (before: readonly TemplateComponent[], { header, footer, buttons }: TemplateWords) => {
  const lacks = (type: ComponentType) => !before.some((component) => componentType(component) === type);
  const first: TemplateComponent[] = [];
  const last: TemplateComponent[] = [];
  if (header !== undefined && lacks('HEADER'))
    first.push({ type: 'HEADER', payload: { format: 'TEXT', text: header } });
  if (footer !== undefined && lacks('FOOTER')) last.push({ type: 'FOOTER', payload: { text: footer } });
  if (buttons !== undefined && lacks('BUTTONS'))
    last.push({ type: 'BUTTONS', payload: { buttons: buttonsNow([], buttons) } });
  return { first, last };
};

/**
 * The components of a template after the platform's report of its words: what the report does not carry (media, flows, cards, offers)
 * stays. The words of a one-time code are the platform's own, and stay unwritten here.
 */
export const componentsNow = (
  components: readonly TemplateComponent[],
  words: TemplateWords,
): readonly TemplateComponent[] => {
  if (carriesCode({ components })) return components;
  const { first, last } = added(components, words);
  return [...first, ...components.flatMap((each) => componentNow(each, words) ?? []), ...last];
};
