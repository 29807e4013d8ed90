import * as z from 'zod';
import { isIpRange } from '../../../shared/domain/access/ip-ranges.ts';
import type { Grantor } from '../../../shared/domain/access/keys.ts';
import { SCOPES } from '../../../shared/domain/core/scopes.ts';
import { BINDS, SMPP_ROUTES, WINDOW } from '../../../shared/domain/smpp/account.ts';
import { createAccount, deleteAccount, rotateAccountPassword } from '../../../shared/domain/smpp/accounts.ts';
import { issuedSmppAccountView, smppAccountView } from '../../../shared/domain/smpp/views.ts';
import { smppAccountStore } from '../../../shared/storage/smpp/accounts.ts';
import { defineCommand, orThrow, requireOrganization } from '../command.ts';
import { env, id, nameList, organization, shortText, wholeNumber } from '../options.ts';

const account = id('smppAccount', 'the SMPP account (smp_…)');
const upTo = (maximum: number, description: string) =>
  wholeNumber(1, `${description} (1 to ${maximum})`)
    .pipe(z.int().max(maximum, `must be at most ${maximum}`))
    .optional();

/** The operator, who may grant everything. */
const operator = ({
  organization: organizationId,
  env: of,
}: Pick<Grantor, 'env'> & { organization: Grantor['organizationId'] }): Grantor => ({
  organizationId,
  env: of,
  scopes: new Set(SCOPES),
});

const smppCreate = defineCommand({
  name: 'smpp create',
  summary: 'Create an SMPP account of an organization; its password is shown only now',
  options: z.object({
    organization,
    env,
    name: shortText('a name for people').pipe(z.string().max(100)),
    route: z.enum(SMPP_ROUTES).meta({ description: 'premium or otp' }),
    allowedIps: nameList('addresses and CIDR blocks that it may bind from, separated by commas (default: any)')
      .pipe(z.array(z.string().refine(isIpRange, 'must be addresses or CIDR blocks')))
      .optional(),
    maxBinds: upTo(BINDS.maximum, 'binds at once'),
    window: upTo(WINDOW.maximum, 'requests of a bind without a response'),
  }),
  run: async ({ tables }, { organization: of, env: stage, ...settings }) => {
    await requireOrganization(tables[stage], of);
    const grantor = operator({ organization: of, env: stage });
    const issued = orThrow(await createAccount(smppAccountStore(tables[stage]), grantor, settings, Date.now()));
    return { data: issuedSmppAccountView(issued) };
  },
});

const smppList = defineCommand({
  name: 'smpp list',
  summary: "List an organization's SMPP accounts",
  options: z.object({ organization, env }),
  run: async ({ tables }, { organization: of, env: stage }) => ({
    data: { items: (await smppAccountStore(tables[stage]).list(of)).map(smppAccountView) },
  }),
});

const smppRotate = defineCommand({
  name: 'smpp rotate-password',
  summary: 'Give an SMPP account another password; the former one is refused',
  options: z.object({ organization, env, account }),
  run: async ({ tables }, { organization: of, env: stage, account: accountId }) => {
    const grantor = operator({ organization: of, env: stage });
    const store = smppAccountStore(tables[stage]);
    return { data: issuedSmppAccountView(orThrow(await rotateAccountPassword(store, grantor, accountId, Date.now()))) };
  },
});

const smppDelete = defineCommand({
  name: 'smpp delete',
  summary: 'Delete an SMPP account: its binds end within a minute',
  options: z.object({ organization, env, account }),
  run: async ({ tables }, { organization: of, env: stage, account: accountId }) => {
    const grantor = operator({ organization: of, env: stage });
    orThrow(await deleteAccount(smppAccountStore(tables[stage]), grantor, accountId, Date.now()));
    return { data: { id: accountId, deleted: true } };
  },
});

export const SMPP_COMMANDS = [smppCreate, smppList, smppRotate, smppDelete];
