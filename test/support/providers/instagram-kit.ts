import type { PayloadContent } from '../../../shared/domain/channels/meta/content.ts';
import type { Dispatch } from '../../../shared/domain/message/provider-port.ts';
import { exact as carried, dispatchOf } from './dispatch.ts';
import type { ChannelKit } from './kit.ts';

/** The outcomes that Meta reports of an Instagram message: reads only. */
export type InstagramOutcome = 'read';

/** Our id of the account, and Instagram's. */
export const ACCOUNT_ID = 'iga_4hJ9sKq2LmN8pRt5VwXz1';
export const INSTAGRAM_ACCOUNT = '17841400008460056';
/** An Instagram-scoped id. */
export const INSTAGRAM_USER = '1784551100012345';

/** An Instagram message to send. */
export const instagramDispatch = (over: Partial<Dispatch<PayloadContent>> = {}): Dispatch<PayloadContent> => {
  const content = { payload: { text: 'Olá, código 9182 [conformance]' }, ...over.content };
  const base = { to: INSTAGRAM_USER, route: 'session', ...over };
  return dispatchOf<PayloadContent>({ ...base, content: { from: ACCOUNT_ID, ...content } })();
};

const exact = (what: string, payload: PayloadContent['payload']) => carried(what, { payload });

/** The conformance suite's kit for every provider of Instagram. */
export const instagramKit: ChannelKit = {
  dispatch: instagramDispatch as ChannelKit['dispatch'],
  exact: [
    exact('the characters that encodings spoil', { text: 'ç€[]{}~\n+&=% ü 🙂 "9182"' }),
    exact('an image by its address', {
      media: { kind: 'image', url: 'https://cdn.example.com.br/pedido.png?largura=600&x=9182' },
    }),
    exact('a video that was uploaded before', { media: { kind: 'video', id: '9182000000000001' } }),
    exact('an audio', { media: { kind: 'audio', url: 'https://cdn.example.com.br/a.m4a' } }),
    exact('a document, as a file', { media: { kind: 'document', id: '9182000000000002' } }),
    exact('buttons, as quick replies', {
      interactive: {
        type: 'button',
        body: { text: 'Confirma o pedido 9182?' },
        action: {
          buttons: [
            { type: 'reply', reply: { id: 'sim', title: 'Sim' } },
            { type: 'reply', reply: { id: 'nao', title: 'Não' } },
          ],
        },
      },
    }),
    exact('a reply by a person', { text: 'Oi, aqui é a Bia', tag: 'HUMAN_AGENT' }),
  ],
  outcomes: { read: { status: 'read' } } satisfies Readonly<Record<InstagramOutcome, object>>,
};
