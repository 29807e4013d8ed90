import { awsClientConfig } from '../aws.ts';
import { amazonSesSettings } from './ses.ts';

/** The only answer that says the address is not on the list. */
const NOT_LISTED = 'NotFoundException';

/**
 * Takes an address off the suppression list of the SES account that an operator's settings reach; false where it was not on it
 * (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_DeleteSuppressedDestination.html). The list is the account's own: it holds
 * for all organizations that send by it. Throws an Error with the name of SES's answer, whose words may repeat the address.
 */
export const takeOffSesList = async (given: unknown, address: string): Promise<boolean> => {
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
