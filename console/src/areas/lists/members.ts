import { api } from '../../api.ts';
import type { ListMembers, ListMembership } from '../../sdk.ts';

/** How contacts are named in a call. */
export type MemberKind = keyof ListMembers;
/** The maximum of identifiers in one call. */
const MAX_A_CALL = 50_000;
/** Of what was not found, so much is shown. */
const SHOWN = 20;

/** The sum of the results of all calls. */
export interface MembersResult {
  readonly added: number;
  readonly removed: number;
  readonly notFoundCount: number;
  readonly notFound: readonly string[];
}

const BATCHES = { add: api.lists.addMembers, remove: api.lists.removeMembers } as const;

/**
 * Adds contacts to a list, or removes them, in calls of limited size. `onProgress`: how many identifiers were sent. A call that fails throws; those before it
 * are done, and sending all again adds no contact twice.
 */
export const changeMembers = async (
  change: keyof typeof BATCHES,
  listId: string,
  kind: MemberKind,
  identifiers: readonly string[],
  onProgress: (sent: number) => void,
): Promise<MembersResult> => {
  let result: MembersResult = { added: 0, removed: 0, notFoundCount: 0, notFound: [] };
  for (let from = 0; from < identifiers.length; from += MAX_A_CALL) {
    const members: ListMembers = { [kind]: identifiers.slice(from, from + MAX_A_CALL) };
    const answer: ListMembership = await BATCHES[change].call(api.lists, listId, members);
    result = {
      added: result.added + answer.added,
      removed: result.removed + answer.removed,
      notFoundCount: result.notFoundCount + answer.notFoundCount,
      notFound: [...result.notFound, ...answer.notFound[kind]].slice(0, SHOWN),
    };
    onProgress(Math.min(from + MAX_A_CALL, identifiers.length));
  }
  return result;
};
