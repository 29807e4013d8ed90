import type { PlatformContent } from '../../domain/messages/message.ts';
import type { Dispatch } from '../../domain/messages/provider.ts';

/** What an Instagram message leaves as; planning a message lets only these through. */
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

/** What the platform calls a kind of media: a document is a file. */
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
 * The body of POST /me/messages (instagram-platform/instagram-api-with-instagram-login/messaging-api, and instagram-messaging/
 * features/send-message). The tag lets a person answer later than a machine may.
 */
export const messageBody = ({ to, content }: Dispatch<PlatformContent>): object => {
  const payload = content.payload as Payload;
  return {
    recipient: { id: to },
    ...(payload.tag === undefined
      ? { messaging_type: 'RESPONSE' }
      : { messaging_type: 'MESSAGE_TAG', tag: payload.tag }),
    message: messageOf(payload),
  };
};
