import type { GramIndex } from '../../storage/audience/merge.ts';
import { vaults } from '../process/aws.ts';

/** Recently used blind indexes of trigrams: contacts share most of them. */
const known = new Map<string, number>();
const MAX_KNOWN = 50_000;

/** Makes blind indexes of trigrams, with an organization's own key. */
export const gramIndex = async (): Promise<GramIndex> => {
  const vault = await vaults.recipients();
  return (organizationId, gram) => {
    const name = `${organizationId} ${gram}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    if (known.size >= MAX_KNOWN) known.clear();
    const index = Buffer.from(vault.blindIndex(organizationId, 'gram', gram), 'base64url').readUInt32BE(0);
    known.set(name, index);
    return index;
  };
};
