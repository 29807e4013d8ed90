import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { SmppAccount } from './account.ts';
import type { IssuedSmppAccount } from './accounts.ts';

/** An account as shown to its organization: without its password. */
export const smppAccountView = (account: SmppAccount) => {
  const { id, name, systemId, route, senderId, allowedIps, maxBinds, window, dlrFormat, createdBy } = account;
  return {
    id,
    name,
    systemId,
    route,
    maxBinds,
    window,
    dlrFormat,
    ...definedFields({ senderId, createdBy, allowedIps: allowedIps && [...allowedIps] }),
    passwordChangedAt: isoTime(account.passwordChangedAt),
    createdAt: isoTime(account.createdAt),
    updatedAt: isoTime(account.updatedAt),
  };
};

/** An account with its new password, which is shown only once. */
export const issuedSmppAccountView = ({ account, password }: IssuedSmppAccount) => ({
  ...smppAccountView(account),
  password,
});
