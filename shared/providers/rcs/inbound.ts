import type { InboundEvent } from '../../domain/messages/provider.ts';

type Said = Pick<InboundEvent, 'type' | 'text' | 'payload'>;

/** A text that somebody typed. */
export const typedText = (text: string): Said => ({ type: 'text', text, payload: {} });

/** A tapped suggestion, in the form that the WhatsApp Cloud API gives to a tapped button; its label is what the person said. */
export const tappedButton = (label: string, postback: string): Said => ({
  type: 'interactive',
  text: label,
  payload: { interactive: { type: 'button_reply', button_reply: { id: postback, title: label } } },
});

/** A place that somebody shared. */
export const sharedLocation = (latitude: number, longitude: number): Said => ({
  type: 'interactive',
  payload: { interactive: { type: 'location', location: { latitude, longitude } } },
});

const KINDS = ['image', 'audio', 'video'] as const;

/** A file that somebody sent; the provider keeps it at its address for a time of its own. */
export const sentFile = (url: string, mimeType: string | undefined, filename: string | undefined): Said => ({
  type: 'media',
  payload: {
    media: {
      kind: KINDS.find((kind) => mimeType?.startsWith(`${kind}/`)) ?? 'document',
      url,
      ...(mimeType === undefined ? {} : { mimeType }),
      ...(filename === undefined ? {} : { filename }),
    },
  },
});
