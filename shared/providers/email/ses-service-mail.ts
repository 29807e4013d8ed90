import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { Unavailable } from '../../domain/core/errors.ts';
import { clientCache } from '../aws.ts';
import { amazonSesSettings } from './ses.ts';

const clientOf = clientCache<SESv2Client>();
const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

/**
 * Sends an e-mail of the service itself, without a configuration set: its events belong to no message. `not_sent` if the settings have no
 * sender for such e-mails. Throws Unavailable with only the name of SES's error, since its text may contain the address.
 */
export const sendServiceMail = async (
  given: unknown,
  to: string,
  { subject, text }: { readonly subject: string; readonly text: string },
): Promise<'sent' | 'not_sent'> => {
  const settings = amazonSesSettings.parse(given);
  if (settings.serviceFrom === undefined) return 'not_sent';
  try {
    const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2');
    await clientOf(settings, (config) => new SESv2Client(config)).send(
      new SendEmailCommand({
        FromEmailAddress: settings.serviceFrom,
        Destination: { ToAddresses: [to] },
        Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
      }),
      { abortSignal: AbortSignal.timeout(settings.timeoutMs) },
    );
    return 'sent';
  } catch (fault) {
    throw new Unavailable(`SES did not take the e-mail: ${fault instanceof Error ? fault.name : 'not an Error'}`);
  }
};
