import { definedFields } from '../../../core/patch.ts';
import type { ReportedTemplateText } from '../../../message/meta-event.ts';
import { type ComponentType, componentType } from './components.ts';
import { isOneTimeCode } from './fill.ts';
import type { TemplateComponent } from './template.ts';

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = ({ payload }: TemplateComponent): Fields => (payload ?? {}) as Fields;

/** Replaces a component's text; drops the example, which belonged to the old text. */
const withText = (component: TemplateComponent, text: string): TemplateComponent => {
  const { example: _, ...rest } = fieldsOf(component);
  return fieldsOf(component).text === text ? component : { ...component, payload: { ...rest, text } };
};

const LINKS: readonly unknown[] = ['URL', 'PHONE_NUMBER'];

/** Merges reported buttons with their known properties. No report means that no URL or phone button is left. */
const mergeButtons = (before: readonly Fields[], reported: ReportedTemplateText['buttons']): readonly Fields[] =>
  reported === undefined
    ? before.filter(({ type }) => !LINKS.includes(type))
    : reported.map(({ type, text, url, phoneNumber }, at) => {
        const known: Fields = before[at]?.type === type ? (before[at] as Fields) : {};
        const { example: _, ...rest } = known;
        return {
          ...(url === undefined || url === known.url ? known : rest),
          type,
          ...definedFields({ text, url, phone_number: phoneNumber }),
        };
      });

/** Merges a component with the report; undefined if it was removed. */
const mergeComponent = (
  component: TemplateComponent,
  reported: ReportedTemplateText,
): TemplateComponent | undefined => {
  const fields = fieldsOf(component);
  switch (componentType(component)) {
    case 'BODY':
      return withText(component, reported.body);
    case 'FOOTER':
      return reported.footer === undefined ? undefined : withText(component, reported.footer);
    case 'HEADER':
      if (reported.header !== undefined && fields.format === 'TEXT') return withText(component, reported.header);
      return reported.header === undefined && fields.format === 'TEXT' ? undefined : component;
    case 'BUTTONS': {
      const buttons = mergeButtons((fields.buttons ?? []) as readonly Fields[], reported.buttons);
      return buttons.length === 0 ? undefined : { ...component, payload: { ...fields, buttons } };
    }
    default:
      return component;
  }
};

/** Reported components that the template did not have. */
const addedComponents = (before: readonly TemplateComponent[], { header, footer, buttons }: ReportedTemplateText) => {
  const lacks = (type: ComponentType) => !before.some((component) => componentType(component) === type);
  const first: TemplateComponent[] = [];
  const last: TemplateComponent[] = [];
  if (header !== undefined && lacks('HEADER'))
    first.push({ type: 'HEADER', payload: { format: 'TEXT', text: header } });
  if (footer !== undefined && lacks('FOOTER')) last.push({ type: 'FOOTER', payload: { text: footer } });
  if (buttons !== undefined && lacks('BUTTONS'))
    last.push({ type: 'BUTTONS', payload: { buttons: mergeButtons([], buttons) } });
  return { first, last };
};

/**
 * A template's components after Meta reported its text. Whatever reports don't contain (media, flows, cards, offers) is kept. One-time code
 * templates are unchanged, since Meta provides their text.
 */
export const withReportedText = (
  components: readonly TemplateComponent[],
  reported: ReportedTemplateText,
): readonly TemplateComponent[] => {
  if (isOneTimeCode({ components })) return components;
  const { first, last } = addedComponents(components, reported);
  return [...first, ...components.flatMap((each) => mergeComponent(each, reported) ?? []), ...last];
};
