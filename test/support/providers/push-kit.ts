import type { PushDispatch, PushNotification, PushTransport } from '../../../shared/domain/channels/push/transport.ts';
import type { RefusalCause } from '../../../shared/domain/message/provider-port.ts';
import { createPushTransport, type PushOptions } from '../../../shared/providers/push/transport.ts';
import { startApnsStandIn } from './apns-stand-in.ts';
import { startFcmStandIn } from './fcm-stand-in.ts';
import { networkIo } from './io.ts';
import { PUSH_NOW, type PushStandIn } from './push-stand-in.ts';
import { startWebPushStandIn } from './webpush-stand-in.ts';

/** The conformance suite's kit for a push service: its stand-in, and its codes for our causes. */
interface PushUnderTest {
  readonly name: string;
  start(now: () => number): Promise<PushStandIn>;
  /** The service's codes for each cause of a refusal, as `refuse` of a play takes them. */
  readonly refusals: Readonly<Partial<Record<RefusalCause, readonly string[]>>>;
  /** Those of them that invalidate a token. */
  readonly dead: readonly string[];
  /** Refusals that are no certain answer of the service. */
  readonly uncertain: readonly string[];
}

/** Contents contain `9182`, devices `5511` or `segredo`: the suite searches the transport's results for them. */
export const NOTIFICATION: PushNotification = {
  title: 'Olá, Ana 9182',
  body: 'Seu pedido saiu: ç€[]{}~\n+&=% ü 🙂 "9182"',
};
export const RICH: PushNotification = {
  ...NOTIFICATION,
  deepLink: 'loja://pedidos/9182',
  imageUrl: 'https://img.loja.example/9182.png',
  actions: [{ label: 'Ver', link: 'https://loja.example/9182' }, { label: 'Depois' }],
  data: { campanha: 'natal', dispatchId: 'of somebody else' },
};
export const SILENT: PushNotification = { ...NOTIFICATION, silent: true, data: { sincronizar: '9182' } };

let dispatches = 0;
/** A dispatch to a stand-in's own device. */
export const pushDispatch = ({ app, device }: PushStandIn, over: Partial<PushDispatch> = {}): PushDispatch => ({
  app,
  device,
  notification: NOTIFICATION,
  dispatchId: `dsp_${String(++dispatches).padStart(21, '0')}`,
  ...over,
});

/** The service's transport, led to a stand-in. */
export const openPush = (
  { options }: Pick<PushStandIn, 'options'>,
  over: PushOptions = {},
  now: () => number = () => PUSH_NOW,
): PushTransport =>
  createPushTransport(networkIo(now), {
    webPushHosts: ['hooks.example.com', '*.hooks.example.com'],
    ...options,
    ...over,
  });

/** The push services of the conformance suite: one for each platform. */
export const PUSH_UNDER_TEST: readonly PushUnderTest[] = [
  {
    name: 'fcm',
    start: startFcmStandIn,
    refusals: {
      recipient: ['UNREGISTERED', 'BAD_TOKEN'],
      content: ['INVALID_ARGUMENT'],
      sender: ['SENDER_ID_MISMATCH'],
      throttled: ['QUOTA_EXCEEDED', '429/RESOURCE_EXHAUSTED', '429'],
      credentials: ['THIRD_PARTY_AUTH_ERROR', '401/UNAUTHENTICATED', '403/PERMISSION_DENIED', '401'],
      unavailable: ['UNAVAILABLE', '404/NOT_FOUND'],
    },
    dead: ['UNREGISTERED', 'BAD_TOKEN'],
    uncertain: ['INTERNAL', '404', '400', '403', '500/UNKNOWN', '503', '200/OK'],
  },
  {
    name: 'apns',
    start: startApnsStandIn,
    refusals: {
      recipient: ['Unregistered', 'BadDeviceToken', 'DeviceTokenNotForTopic', 'ExpiredToken'],
      content: ['PayloadTooLarge', 'PayloadEmpty', 'BadCollapseId'],
      sender: ['BadTopic', 'TopicDisallowed'],
      throttled: ['TooManyRequests', 'TooManyProviderTokenUpdates'],
      credentials: ['ExpiredProviderToken', 'InvalidProviderToken', 'Forbidden'],
      unavailable: ['ServiceUnavailable', 'Shutdown', 'IdleTimeout'],
    },
    dead: ['Unregistered', 'ExpiredToken'],
    uncertain: ['InternalServerError', '410', '429', '503', '301'],
  },
  {
    name: 'webpush',
    start: startWebPushStandIn,
    refusals: {
      recipient: ['404', '410'],
      content: ['400', '413'],
      throttled: ['429'],
      credentials: ['401', '403'],
      unavailable: ['301', '307'],
    },
    dead: ['404', '410'],
    uncertain: ['500', '502', '503', '418'],
  },
];
