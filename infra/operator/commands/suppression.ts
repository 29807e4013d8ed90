import * as z from 'zod';
import { parseAddress } from '../../../shared/domain/core/email-address.ts';
import type { Id } from '../../../shared/domain/core/ids.ts';
import { isoTime } from '../../../shared/domain/core/time.ts';
import { removeFromSesSuppressionList } from '../../../shared/providers/email/ses-suppression.ts';
import { readProviderSettings } from '../../../shared/storage/access/providers.ts';
import { suppressionStore } from '../../../shared/storage/contacts/email-addresses.ts';
import { defineCommand, OperatorError, requireOrganization } from '../command.ts';
import { env, organization } from '../options.ts';
import type { Target } from '../target.ts';

const options = z.object({
  organization,
  env,
  email: z
    .string()
    .transform((text) => parseAddress(text) ?? '')
    .refine((address) => address !== '', 'must be an e-mail address')
    .meta({ description: "the recipient's address" }),
});
type Chosen = z.output<typeof options>;

/** The suppression of an address: its end (ms), undefined if there is none, and a call that lifts it. */
const suppressionOf = async (target: Target, { organization, env: chosen, email }: Chosen) => {
  const table = target.tables[chosen];
  await requireOrganization(table, organization);
  const hash = (await target.vault(chosen, 'recipients')).blindIndex(organization, 'email', email);
  const store = suppressionStore(table);
  return {
    until: await store.suppressedUntil(organization, hash, Date.now()),
    lift: () => store.lift(organization, hash, Date.now()),
  };
};

const view = (organization: Id<'organization'>, chosen: Chosen['env'], until: number | undefined) => ({
  env: chosen,
  organization,
  suppressed: until !== undefined,
  suppressedUntil: until === undefined ? null : isoTime(until),
});

/** Removes the address from the suppression list of the SES account; live only, since test e-mails never reach SES. */
const removeFromSesList = async (target: Target, { env: chosen, email }: Chosen) => {
  if (chosen !== 'live') return 'not_asked';
  const given = (await readProviderSettings(target.tables.live, await target.vault('live', 'providers'), 'email')).get(
    'amazon_ses',
  );
  if (given === undefined) return 'not_set_up';
  try {
    return (await removeFromSesSuppressionList(given, email)) ? 'removed' : 'not_listed';
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : 'unknown error';
    throw new OperatorError(
      `The address is no longer suppressed here, but may still be on the suppression list of SES: ${why}.`,
    );
  }
};

const suppressionShow = defineCommand({
  name: 'suppression show',
  summary: 'Show whether an address is suppressed for an organization, and until when',
  options,
  run: async (target, chosen) => {
    const { until } = await suppressionOf(target, chosen);
    return {
      data: view(chosen.organization, chosen.env, until),
      note: 'Addresses are stored as blind indexes, so they cannot be listed.',
    };
  },
});

const suppressionLift = defineCommand({
  name: 'suppression lift',
  summary: 'Lift the suppression of an address, also at Amazon SES if it sends live e-mails',
  options,
  run: async (target, chosen) => {
    const { until, lift } = await suppressionOf(target, chosen);
    await lift();
    return {
      data: {
        ...view(chosen.organization, chosen.env, until),
        lifted: until !== undefined,
        amazonSes: await removeFromSesList(target, chosen),
      },
      note: 'suppressed is the state before. The suppression list of SES belongs to its account: it applies to every organization.',
    };
  },
});

/** Addresses that a provider reported, and that e-mails are refused to. */
export const SUPPRESSION_COMMANDS = [suppressionShow, suppressionLift];
