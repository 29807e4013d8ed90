import type { Channel } from '../../../shared/domain/message/channel.ts';
import type { CallbackReader, Dispatch, Provider, ProviderIo } from '../../../shared/domain/message/provider-port.ts';
import { loadAllProviders } from '../../../shared/providers/index.ts';
import { amazonSesUnderTest } from './amazon-ses-stand-in.ts';
import { awsEndUserMessagingRcsUnderTest } from './aws-end-user-messaging-rcs-stand-in.ts';
import { awsEndUserMessagingUnderTest } from './aws-end-user-messaging-stand-in.ts';
import { emailKit } from './email-kit.ts';
import { infobipRcsUnderTest } from './infobip-rcs-stand-in.ts';
import { infobipUnderTest } from './infobip-stand-in.ts';
import { instagramKit } from './instagram-kit.ts';
import { instagramUnderTest } from './instagram-stand-in.ts';
import { networkIo } from './io.ts';
import { rcsKit } from './rcs-kit.ts';
import { smppCarrierUnderTest } from './smpp-carrier-stand-in.ts';
import { smsKit } from './sms-kit.ts';
import type { AcceptedMessage, StandIn, UnderTest } from './stand-in.ts';
import { twilioUnderTest } from './twilio-stand-in.ts';
import { whatsappKit } from './whatsapp-kit.ts';
import { whatsappUnderTest } from './whatsapp-stand-in.ts';

/**
 * The conformance suite's kit for every provider of a channel. Recipients contain `5511`, contents `9182`: the suite searches the adapters'
 * results for both.
 */
export interface ChannelKit {
  /** A message to send; `over`: fields that differ. */
  dispatch(over?: Partial<Dispatch<unknown>>): Dispatch<unknown>;
  /** Contents that must arrive unchanged, and what the stand-in must then have received. */
  readonly exact: readonly { readonly what: string; readonly content: unknown; readonly carried: object }[];
  /** How each outcome of a receipt must be read. */
  readonly outcomes: Readonly<Record<string, object>>;
  /** The stored receipt of this message; absent if a channel stores none. */
  readonly receipt?: (message: AcceptedMessage) => object;
}

/** The channels of the conformance suite: one line each. */
export const CHANNEL_KITS: Readonly<Partial<Record<Channel, ChannelKit>>> = {
  sms: smsKit,
  email: emailKit,
  rcs: rcsKit,
  whatsapp: whatsappKit,
  instagram: instagramKit,
};

/** The providers of the conformance suite: one line each. */
export const UNDER_TEST: readonly UnderTest[] = [
  amazonSesUnderTest,
  awsEndUserMessagingUnderTest,
  twilioUnderTest,
  infobipUnderTest,
  smppCarrierUnderTest,
  awsEndUserMessagingRcsUnderTest,
  infobipRcsUnderTest,
  whatsappUnderTest,
  instagramUnderTest,
];

/** The time of these tests; adapters read it from their I/O. */
export const NOW = Date.parse('2026-01-02T03:04:06.000Z');
export const io: ProviderIo = networkIo(() => NOW);

export const REGISTERED = await loadAllProviders();

/** Opens a registered adapter as the service does: its callbacks with what verifies them alone, as it is stored. */
export const open = (
  channel: Channel,
  name: string,
  settings: object,
  over: Partial<ProviderIo> = {},
): Provider<unknown> & CallbackReader => {
  const registered = REGISTERED.find((each) => each.channel === channel && each.name === name);
  if (!registered) throw new Error(`no provider ${channel}/${name}`);
  const { callbacks } = registered;
  const verifying: unknown = JSON.parse(JSON.stringify(callbacks.settings.parse(registered.settings.parse(settings))));
  return { ...callbacks.open(verifying, { ...io, ...over }), ...registered.open(settings, { ...io, ...over }) };
};

/** Sends one message; what the stand-in accepted. */
export const accepted = async (
  standIn: StandIn,
  provider: Provider<unknown>,
  sent: Dispatch<unknown>,
): Promise<AcceptedMessage> => {
  const answer = await provider.send(sent);
  const id = answer.kind === 'accepted' ? answer.providerMessageId : undefined;
  const message = standIn.messages.find(({ providerMessageId }) => providerMessageId === id);
  if (!message) throw new Error('the stand-in accepted nothing');
  return message;
};
