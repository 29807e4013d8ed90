import { newId } from '../../../shared/domain/ids.ts';
import type { ProviderIo, SmsDispatch, SmsProvider } from '../../../shared/domain/sms/provider.ts';
import { SMS_PROVIDER_DECLARATIONS } from '../../../shared/providers/sms/index.ts';
import type { SmsStandIn } from '../../support/providers/stand-in.ts';

/** The moment at which these tests take place; adapters read it from their I/O. */
export const NOW = Date.parse('2026-01-02T03:04:06.000Z');
export const io: ProviderIo = { fetch: globalThis.fetch, now: () => NOW };

export const TO = '+5511987654321';
export const TEXT = 'Olá, código 9182 [conformance]';

/** A text to send. */
export const dispatch = (over: Partial<SmsDispatch> = {}): SmsDispatch => ({
  messageId: newId('message'),
  to: TO,
  text: TEXT,
  encoding: 'GSM-7',
  route: 'otp',
  callbackUrl: 'https://callbacks.test/callbacks/provider',
  ...over,
});

/** Opens a registered adapter as the platform does. */
export const open = (name: string, settings: object, over: Partial<ProviderIo> = {}): SmsProvider => {
  const declaration = SMS_PROVIDER_DECLARATIONS.find((each) => each.name === name);
  if (!declaration) throw new Error(`no declaration of ${name}`);
  return declaration.open(settings, { ...io, ...over });
};

/** Sends one text and gives what the stand-in accepted. */
export const accepted = async (standIn: SmsStandIn, provider: SmsProvider) => {
  const sent = dispatch();
  await provider.send(sent);
  const message = standIn.messages.find(({ messageId }) => messageId === sent.messageId);
  if (!message) throw new Error('the stand-in accepted nothing');
  return message;
};
