import { asId } from '../../domain/core/ids.ts';
import type { NumberAccess } from '../../domain/message/provider-port.ts';
import { readNumberSender } from '../../storage/whatsapp/number-senders.ts';
import { table } from '../process/aws.ts';
import { ttlCache } from '../process/ttl-cache.ts';
import { numberPorts } from './numbers.ts';

/** A new token or a disconnection takes effect within ten seconds. */
const cached = ttlCache<NumberAccess | undefined>(10_000, 1_000);

const read = async (numberId: string): Promise<NumberAccess | undefined> => {
  const id = asId('number', numberId);
  const number = id && (await readNumberSender(table, id));
  if (!number) return undefined;
  const accessToken = await numberPorts.numbers.accessToken(number);
  return accessToken === undefined ? undefined : { phoneNumberId: number.phoneNumberId, accessToken };
};

/** A number's credentials at Meta; undefined once it is disconnected. */
export const numberAccess = (numberId: string): Promise<NumberAccess | undefined> =>
  cached(numberId, () => read(numberId));
