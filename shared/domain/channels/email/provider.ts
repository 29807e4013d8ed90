import type { Channel } from '../../message/channel.ts';
import type { Dispatch, Provider, ProviderDeclaration } from '../../message/provider-port.ts';
import type { EmailContent, EmailProviderName } from './content.ts';

export type EmailDispatch = Dispatch<EmailContent>;
export type EmailProvider = Provider<EmailContent>;
/** The declaration of an e-mail provider. */
export type EmailProviderDeclaration<Settings> = ProviderDeclaration<EmailContent, Settings> & {
  readonly channel: Extract<Channel, 'email'>;
  readonly name: EmailProviderName;
};
