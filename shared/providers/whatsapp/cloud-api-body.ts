import type { PayloadContent } from '../../domain/channels/meta/content.ts';
import type { Dispatch } from '../../domain/message/provider-port.ts';

/** The payload of a WhatsApp message; the field that is present decides its type: docs/spec/messages.md#payload-by-type. */
interface Payload {
  readonly text?: unknown;
  readonly media?: { readonly kind: string; readonly [field: string]: unknown };
  readonly template?: { readonly name: string; readonly language: string; readonly components?: unknown };
  readonly templateVars?: Readonly<Record<string, unknown>>;
  readonly interactive?: unknown;
}

const isPlace = (name: string) => /^[1-9]\d?$/.test(name);

/**
 * A template's body parameters. Numbered variables are positional, named ones carry their name (templates/components, Parameter formats); a
 * template has one kind or the other.
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

/** Components in the Cloud API's format are sent as they are; otherwise the variables fill the body. */
const componentsOf = ({ template, templateVars = {} }: Payload): readonly unknown[] => {
  if (Array.isArray(template?.components)) return template.components;
  return Object.keys(templateVars).length === 0 ? [] : [bodyOf(templateVars)];
};

/** Meta writes pt-BR as pt_BR (templates/supported-languages). */
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
export const messageBody = ({ messageId, to, content }: Dispatch<PayloadContent>): object => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to,
  ...partOf(content.payload as Payload),
  biz_opaque_callback_data: messageId,
});
