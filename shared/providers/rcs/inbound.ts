import { definedFields } from '../../domain/core/patch.ts';
import type { InboundEvent } from '../../domain/message/provider-port.ts';

type InboundContent = Pick<InboundEvent, 'type' | 'text' | 'payload'>;

export const typedText = (text: string): InboundContent => ({ type: 'text', text, payload: {} });

/** A tapped suggestion, in the format of the WhatsApp Cloud API's button reply; the label becomes the text. */
export const tappedButton = (label: string, postback: string): InboundContent => ({
  type: 'interactive',
  text: label,
  payload: { interactive: { type: 'button_reply', button_reply: { id: postback, title: label } } },
});

export const sharedLocation = (latitude: number, longitude: number): InboundContent => ({
  type: 'interactive',
  payload: { interactive: { type: 'location', location: { latitude, longitude } } },
});

const KINDS = ['image', 'audio', 'video'] as const;

/** A received file. The provider stores it at `url`, for a limited time. */
export const sentFile = (url: string, mimeType: string | undefined, filename: string | undefined): InboundContent => ({
  type: 'media',
  payload: {
    media: {
      kind: KINDS.find((kind) => mimeType?.startsWith(`${kind}/`)) ?? 'document',
      url,
      ...definedFields({ mimeType, filename }),
    },
  },
});
