import type { Membership } from '../../shared/domain/lists/members.ts';

/** An operation on a list, with the numbers of its contacts. */
export interface ListOperation {
  readonly kind: 'add' | 'remove' | 'replace' | 'rename' | 'delete';
  readonly numbers: readonly number[];
}
/** A result: the counts of an edit, done or refused, or none since its process ended. */
export type Answer = Pick<Membership, 'added' | 'removed' | 'total'> | 'done' | 'refused' | 'nothing';
/** The members of the list, the greatest first; undefined once it is deleted. */
export type State = readonly number[] | undefined;
export interface ListCall {
  readonly operation: ListOperation;
  readonly answer: Answer;
}

/** The effect of an operation on a plain set, and its result. */
const applied = (
  { kind, numbers }: ListOperation,
  state: State,
): { readonly after: State; readonly answer: Answer } => {
  // Each of several concurrent deletions may report success.
  if (kind === 'delete') return { after: undefined, answer: 'done' };
  if (state === undefined) return { after: state, answer: 'refused' };
  if (kind === 'rename') return { after: state, answer: 'done' };
  const given = new Set(numbers);
  const kept = state.filter((number) =>
    kind === 'add' ? true : kind === 'remove' ? !given.has(number) : given.has(number),
  );
  const after = kind === 'remove' ? kept : [...new Set([...kept, ...given])];
  const answer = {
    added: kind === 'remove' ? 0 : after.length - kept.length,
    removed: state.length - kept.length,
    total: after.length,
  };
  return { after: after.toSorted((a, b) => b - a), answer };
};

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Whether some order of the calls, in which each caller's own have theirs and one that ended may be missing, gives each answer, each state that was seen,
 * in turn, and the last.
 */
export const isSomeOrder = (
  callers: readonly (readonly ListCall[])[],
  seen: readonly State[],
  from: State,
  to: State,
): boolean => {
  /** States without a solution: two paths to the same state continue alike. */
  const tried = new Set<string>();
  const search = (left: readonly (readonly ListCall[])[], unseen: readonly State[], state: State): boolean => {
    const first = unseen.findIndex((each) => !same(each, state));
    const rest = first === -1 ? [] : unseen.slice(first);
    const isEnd = left.flat().every(({ answer }) => answer === 'nothing');
    if (isEnd && rest.length === 0 && same(state, to)) return true;
    const place = JSON.stringify([left.map((own) => own.length), rest.length, state]);
    if (tried.has(place)) return false;
    tried.add(place);
    return left.some(([call, ...later], at) => {
      if (!call) return false;
      const { after, answer } = applied(call.operation, state);
      if (call.answer !== 'nothing' && !same(call.answer, answer)) return false;
      return search(left.toSpliced(at, 1, later), rest, after);
    });
  };
  return search(callers, seen, from);
};
