import { ID_PREFIXES, type Id, type IdKind, parseId } from '../../shared/domain/core/ids.ts';

/** A readable identifier: the name, padded to an identifier's length. */
export const idNamed = <K extends IdKind>(kind: K, name: string): Id<K> =>
  parseId(kind, `${ID_PREFIXES[kind]}_${name.padEnd(21, '0')}`);
