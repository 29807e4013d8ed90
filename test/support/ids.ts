import { ID_PREFIXES, type Id, type IdKind, parseId } from '../../shared/domain/core/ids.ts';

/** An identifier that a person can read in a failure: the name, filled up to an identifier's length. */
export const idNamed = <K extends IdKind>(kind: K, name: string): Id<K> =>
  parseId(kind, `${ID_PREFIXES[kind]}_${name.padEnd(21, '0')}`);
