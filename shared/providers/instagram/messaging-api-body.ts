import type { PayloadContent } from '../../domain/channels/meta/content.ts';
import type { Dispatch } from '../../domain/message/provider-port.ts';

/** The payload of an Instagram message; the planner refuses everything else. */
interface Payload {
  readonly text?: string;
  readonly media?: { readonly kind: string; readonly id?: string; readonly url?: string };
  readonly interactive?: {
    readonly body?: { readonly text?: string };
    readonly action?: {
      readonly buttons?: readonly { readonly reply: { readonly id: string; readonly title: string } }[];
    };
  };
  readonly tag?: string;
}

/** Instagram calls a document `file`. */
const attachmentType = (kind: string) => (kind === 'document' ? 'file' : kind);

const messageOf = ({ text, media, interactive }: Payload): object => {
  if (media) {
    const payload = media.url === undefined ? { attachment_id: media.id } : { url: media.url };
    return { attachment: { type: attachmentType(media.kind), payload } };
  }
  if (interactive)
    return {
      text: interactive.body?.text ?? '',
      quick_replies: (interactive.action?.buttons ?? []).map(({ reply }) => ({
        content_type: 'text',
        title: reply.title,
        payload: reply.id,
      })),
    };
  return { text: text ?? '' };
};

/**
 * The body of POST /me/messages (instagram-platform/instagram-api-with-instagram-login/messaging-api, and
 * instagram-messaging/features/send-message). The message tag lets a human agent answer after the 24-hour window.
 */
export const messageBody = ({ to, content }: Dispatch<PayloadContent>): object => {
  const payload = content.payload as Payload;
  return {
    recipient: { id: to },
    ...(payload.tag === undefined
      ? { messaging_type: 'RESPONSE' }
      : { messaging_type: 'MESSAGE_TAG', tag: payload.tag }),
    message: messageOf(payload),
  };
};
