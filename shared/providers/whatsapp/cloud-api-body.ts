import type { PlatformContent } from '../../domain/messages/message.ts';
import type { Dispatch } from '../../domain/messages/provider.ts';

/** What a WhatsApp message leaves as; the part of the payload that is there says its type (decisions, part 4: payload by type). */
interface Payload {
  readonly text?: unknown;
  readonly media?: { readonly kind: string; readonly [field: string]: unknown };
  readonly template?: { readonly name: string; readonly language: string; readonly components?: unknown };
  readonly templateVars?: Readonly<Record<string, unknown>>;
  readonly interactive?: unknown;
}

const isPlace = (name: string) => /^[1-9]\d?$/.test(name);

/**
 * The variables of a template's body. Numbered ones go by their place, named ones carry their name (templates/components, Parameter
 * formats): a template has the one kind or the other.
 */
const bodyOf = (vars: Readonly<Record<string, unknown>>) => {
  const names = Object.keys(vars);
  const positional = names.every(isPlace);
  const ordered = positional ? names.toSorted((one, other) => Number(one) - Number(other)) : names;
  return {
    type: 'body',
    parameters: ordered.map((name) => ({
      type: 'text',
      ...(positional ? {} : { parameter_name: name }),
      text: String(vars[name]),
    })),
  };
};

/** Components in the Cloud API's own form fill a template alone; without them, the variables fill its body. */
const componentsOf = ({ template, templateVars = {} }: Payload): readonly unknown[] => {
  if (Array.isArray(template?.components)) return template.components;
  return Object.keys(templateVars).length === 0 ? [] : [bodyOf(templateVars)];
};

/** pt-BR is pt_BR there (templates/supported-languages). */
const languageCode = (language: string) => language.replace('-', '_');

const partOf = (payload: Payload): object => {
  const { media, template, interactive, text } = payload;
  if (template) {
    const components = componentsOf(payload);
    const { name, language } = template;
    return {
      type: 'template',
      template: { name, language: { code: languageCode(language) }, ...(components.length > 0 ? { components } : {}) },
    };
  }
  if (media) {
    const { kind, ...rest } = media;
    return { type: kind, [kind]: rest };
  }
  if (interactive) return { type: 'interactive', interactive };
  return { type: 'text', text: { body: String(text ?? '') } };
};

/** The body of POST /{phone-number-id}/messages (reference/whatsapp-business-phone-number/message-api). */
export const messageBody = ({ messageId, to, content }: Dispatch<PlatformContent>): object => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to,
  ...partOf(content.payload as Payload),
  biz_opaque_callback_data: messageId,
});
