import { chunkOf } from '../../ui/chunk.tsx';
import { Loading } from '../../ui/states.tsx';
import type { CardFieldsProps } from './card-draft.ts';

// The search for contacts and companies is not loaded with the board.
const CardFieldSet = chunkOf(() => import('./card-field-set.tsx'));

/** The fields of a card. */
export const CardFields = (props: CardFieldsProps) => (
  <CardFieldSet.Component {...props} waiting={<Loading rows={2} />} />
);
