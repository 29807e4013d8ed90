import { BIND_ATTEMPTS, type BindPorts } from '../../domain/smpp/bind.ts';
import { drawToken, returnToken } from '../../storage/due-work/rates.ts';
import { smppAccountStore } from '../../storage/smpp/accounts.ts';
import { bindStore } from '../../storage/smpp/binds.ts';
import { watchStore } from '../../storage/smpp/watches.ts';
import { clock, table, vaults } from '../process/aws.ts';

/** The owner of attempts: the address as a blind index, since it may be personal data. */
const ownerOf = async (address: string): Promise<string> =>
  `ip:${(await vaults.people()).blindIndex('people', 'ip', address)}`;

export const bindPorts: BindPorts = {
  clock,
  accounts: smppAccountStore(table),
  binds: bindStore(table),
  watches: watchStore(table),
  drawAttempt: async (address) => (await drawToken(table, await ownerOf(address), BIND_ATTEMPTS, clock())) === 0,
  returnAttempt: async (address) => returnToken(table, await ownerOf(address), BIND_ATTEMPTS),
};
