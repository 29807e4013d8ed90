import { awsClientConfig } from '../aws.ts';
import { amazonSesSettings } from './ses.ts';

const NOT_LISTED = 'NotFoundException';

/**
 * Removes an address from the account-level suppression list of SES
 * (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_DeleteSuppressedDestination.html), which applies to all organizations that
 * send through the account. False if it was not listed. Throws an Error with SES's error name only: its message may contain the address.
 */
export const removeFromSesSuppressionList = async (given: unknown, address: string): Promise<boolean> => {
  const { DeleteSuppressedDestinationCommand, SESv2Client } = await import('@aws-sdk/client-sesv2');
  const settings = amazonSesSettings.parse(given);
  const client = new SESv2Client(awsClientConfig(settings));
  try {
    await client.send(new DeleteSuppressedDestinationCommand({ EmailAddress: address }), {
      abortSignal: AbortSignal.timeout(settings.timeoutMs),
    });
    return true;
  } catch (fault) {
    const name = fault instanceof Error ? fault.name : 'unknown fault';
    if (name === NOT_LISTED) return false;
    throw new Error(`Amazon SES answered ${name}`);
  } finally {
    client.destroy();
  }
};
