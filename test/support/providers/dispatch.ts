import { newId } from '../../../shared/domain/core/ids.ts';
import type { Dispatch } from '../../../shared/domain/message/provider-port.ts';

/** Makes messages to send on a channel, as its kit describes one; `over`: fields that differ. */
export const dispatchOf =
  <Content>(base: Pick<Dispatch<Content>, 'to' | 'route' | 'content'>) =>
  (over: Partial<Dispatch<Content>> = {}): Dispatch<Content> => ({
    messageId: newId('message'),
    callbackUrl: 'https://callbacks.test/callbacks/provider',
    ...base,
    ...over,
  });

/** A content that must arrive unchanged. */
export const exact = <Content>(what: string, content: Content) => ({ what, content, carried: { content } });
