import type { Bucket, Limit } from '../../domain/access/rate-limits.ts';
import { type LinkPorts, mailRequestedLinks } from '../../domain/access/sign-in.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { linkStore } from '../../storage/access/link-store.ts';
import { readOrganization } from '../../storage/access/organizations.ts';
import { readProviderSettings } from '../../storage/access/providers.ts';
import { drawToken } from '../../storage/due-work/rates.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { clock, settings, table, vaults } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';
import { emailHash, enqueueLink, peoplePorts } from './people.ts';
import { drawOf } from './rates.ts';

/** Limits of links per e-mail address, and of requests per IP address. */
const PER_EMAIL: Bucket = { name: 'sign_in', perMinute: 1 / 3, burst: 5 };
const PER_IP: Limit = {
  name: 'sign_in',
  perMinute: 10,
  burst: 30,
  detail: 'Too many links were asked for from here.',
};

/** Locally the mail goes to the log. The test stage sends nothing to anybody. */
const sendMail: LinkPorts['sendMail'] = async (to, mail) => {
  if (settings.LOG_SIGN_IN_LINKS) {
    logger.info('sign-in link', { link: mail.text.split('\n').find((line) => line.startsWith('http')) });
    return 'sent';
  }
  const ses =
    settings.STAGE === 'live'
      ? (await readProviderSettings(table, await vaults.providers(), 'email')).get('amazon_ses')
      : undefined;
  const { sendServiceMail } = await import('../../providers/email/ses-service-mail.ts');
  const outcome = ses === undefined ? 'not_sent' : await sendServiceMail(ses, to, mail);
  measure({ outcome }, { SignInMails: 1 });
  if (outcome === 'not_sent') logger.warn('a sign-in link was not mailed: this stage has no sender for it');
  return outcome;
};

export const linkPorts: LinkPorts = {
  env: settings.STAGE,
  clock,
  accounts: peoplePorts.accounts,
  store: linkStore(table),
  emailHash,
  mayMail: async (hash) => (await drawToken(table, `email:${hash}`, PER_EMAIL, clock())) === 0,
  limitAddress: async (ip) => drawOf(`ip:${(await vaults.people()).blindIndex('people', 'ip', ip)}`, PER_IP),
  enqueueLink,
  organizationName: async (id) => (await readOrganization(table, id))?.name,
  sendMail,
  publicUrl: settings.PUBLIC_URL,
};

/** Mails the links of a request. Safe under repeats and reordering. */
export const processSignInMail = (item: WorkItem): Promise<void> =>
  mailRequestedLinks(linkPorts, PARSE_KEY.linkRequest(item));
