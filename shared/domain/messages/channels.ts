import { emailRules } from '../email/rules.ts';
import { instagramRules, pushRules, whatsappRules } from '../platforms/rules.ts';
import { rcsRules } from '../rcs/rules.ts';
import { smsRules } from '../sms/rules.ts';
import type { ChannelRules } from './channel.ts';
import type { Channel } from './provider.ts';

/** Every channel of the service, one line each. */
const RULES: Readonly<Record<Channel, ChannelRules>> = {
  sms: smsRules,
  rcs: rcsRules,
  email: emailRules,
  whatsapp: whatsappRules,
  push: pushRules,
  instagram: instagramRules,
};

export type { RecipientKind } from './channel.ts';

export const rulesOf = (channel: Channel): ChannelRules => RULES[channel];
