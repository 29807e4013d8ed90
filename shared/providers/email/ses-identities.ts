import { Resolver } from 'node:dns/promises';
import type { GetEmailIdentityCommandOutput, SESv2Client } from '@aws-sdk/client-sesv2';
import type { EmailIdentities, IdentityAnswer, IdentityState } from '../../domain/senders/sender.ts';
import { clientCache } from '../aws.ts';
import { type AmazonSesSettings, amazonSesSettings } from './ses.ts';

const clientOf = clientCache<SESv2Client>();

/** The records that verify a domain (Easy DKIM): three CNAMEs, in the region's own hosted zone if SES returns one. */
const recordsOf = (domain: string, dkim: GetEmailIdentityCommandOutput['DkimAttributes']): IdentityState['records'] =>
  dkim?.Tokens?.map((token) => ({
    type: 'CNAME',
    name: `${token}._domainkey.${domain}`,
    value: `${token}.${dkim.SigningHostedZone ?? 'dkim.amazonses.com'}`,
  }));

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetEmailIdentity.html, VerificationStatus. */
const isFailed = (status: string | undefined): boolean => status === 'FAILED';

const stateOf = (
  value: string,
  answer: Pick<GetEmailIdentityCommandOutput, 'DkimAttributes' | 'VerificationStatus' | 'VerifiedForSendingStatus'>,
): IdentityState => ({
  status: answer.VerifiedForSendingStatus ? 'verified' : isFailed(answer.VerificationStatus) ? 'rejected' : 'pending',
  records: value.includes('@') ? undefined : recordsOf(value, answer.DkimAttributes),
});

const answerOf = (fault: unknown): IdentityAnswer => {
  const name = fault instanceof Error ? fault.name : 'not an Error';
  if (name === 'AlreadyExistsException') return { kind: 'exists' };
  if (name === 'NotFoundException') return { kind: 'absent' };
  return { kind: 'unavailable', detail: name };
};

/** Timeout of the first attempt, in ms, and number of attempts; later ones wait longer. */
const LOOKUP = { timeout: 1_000, tries: 2 };

/** Looks up a TXT record. If no name server answers, it counts as not set, and is looked up again later. */
const textLookup = ({ dnsServers }: Pick<AmazonSesSettings, 'dnsServers'>): EmailIdentities['hasText'] => {
  const resolver = new Resolver(LOOKUP);
  if (dnsServers) resolver.setServers(dnsServers);
  return async ({ name, value }) => {
    const found = await resolver.resolveTxt(name).catch(() => []);
    return found.some((parts) => parts.join('') === value);
  };
};

/** The e-mail identities of the operator's SES account (https://docs.aws.amazon.com/ses/latest/dg/creating-identities.html). */
export const sesIdentities = (given: unknown): EmailIdentities => {
  const settings: AmazonSesSettings = amazonSesSettings.parse(given);
  const call = async (run: (client: SESv2Client, sdk: Sdk) => Promise<IdentityAnswer>): Promise<IdentityAnswer> => {
    try {
      const sdk = await import('@aws-sdk/client-sesv2');
      return await run(
        clientOf(settings, (config) => new sdk.SESv2Client(config)),
        sdk,
      );
    } catch (fault) {
      return answerOf(fault);
    }
  };
  const abort = () => ({ abortSignal: AbortSignal.timeout(settings.timeoutMs) });
  return {
    create: (EmailIdentity) =>
      call(async (client, { CreateEmailIdentityCommand }) => {
        const answer = await client.send(new CreateEmailIdentityCommand({ EmailIdentity }), abort());
        return { kind: 'done', state: { ...stateOf(EmailIdentity, answer), status: 'pending' } };
      }),
    read: (EmailIdentity) =>
      call(async (client, { GetEmailIdentityCommand }) => ({
        kind: 'done',
        state: stateOf(EmailIdentity, await client.send(new GetEmailIdentityCommand({ EmailIdentity }), abort())),
      })),
    hasText: textLookup(settings),
    remove: (EmailIdentity) =>
      call(async (client, { DeleteEmailIdentityCommand }) => {
        await client.send(new DeleteEmailIdentityCommand({ EmailIdentity }), abort());
        return { kind: 'absent' };
      }),
  };
};

type Sdk = typeof import('@aws-sdk/client-sesv2');
