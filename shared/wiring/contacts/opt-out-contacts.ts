import { continueUnsubscribe } from '../../domain/contacts/unsubscribe.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { emailConsentStore } from '../../storage/contacts/email-addresses.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { table } from '../process/aws.ts';
import { contactPorts } from './contacts.ts';

/** Opts out the contacts of an unsubscribed address that remain. */
export const processUnsubscribed = (item: WorkItem): Promise<void> =>
  continueUnsubscribe({ ...contactPorts, addresses: emailConsentStore(table) }, PARSE_KEY.emailAddress(item));
