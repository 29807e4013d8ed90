import type { EventType } from '../../events/catalogue.ts';
import { byPosition } from '../../message/channel-request.ts';
import { acceptedThen, scriptByEnding } from '../../message/sandbox.ts';

type Payload = Readonly<Record<string, unknown>>;

const withVariables = (payload: Payload, vars: readonly string[] | undefined): Payload => {
  if (!vars || !('template' in payload)) return payload;
  // Drops the components filled with the old variables, so that they are filled again.
  const { components: _, ...template } = payload.template as Payload;
  return { ...payload, template, templateVars: byPosition(vars) };
};

/** Defaults of the channels whose content is a payload in its provider's format: WhatsApp, Instagram and push. */
export const payloadChannelDefaults = {
  routes: [],
  countsVolume: false,
  receivedEvent: 'message.received' as EventType,
  engagementOf: {},
  reasonOf: { recipient: 'invalid_recipient', content: 'content_rejected', blacklisted: 'blacklisted' },
  // 0025 is also read (docs/spec/sends.md#sandbox-endings).
  sandbox: scriptByEnding(acceptedThen({ status: 'delivered' }), {
    '0006': acceptedThen({ status: 'failed', reason: 'undeliverable' }),
    '0025': acceptedThen({ status: 'delivered' }, { status: 'read' }),
  }),
  payload: ({ payload }: { readonly payload: Payload }) => payload,
  resendContent: ({ payload }: { readonly payload: Payload }, vars: readonly string[] | undefined) => ({
    payload: withVariables(payload, vars),
  }),
} as const;
