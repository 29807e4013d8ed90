import type { Channel, Dispatch, Provider, ProviderDeclaration } from '../messages/provider.ts';
import type { EmailContent, EmailProviderName } from './content.ts';

export type EmailDispatch = Dispatch<EmailContent>;
export type EmailProvider = Provider<EmailContent>;
/** How a provider of e-mail is declared. */
export type EmailProviderDeclaration<Settings> = ProviderDeclaration<EmailContent, Settings> & {
  readonly channel: Extract<Channel, 'email'>;
  readonly name: EmailProviderName;
};
