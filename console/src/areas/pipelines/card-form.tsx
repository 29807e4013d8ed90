import { lazy, Suspense } from 'react';
import { Loading } from '../../ui/states.tsx';
import type { CardFieldsProps } from './card-draft.ts';

// The search for contacts and companies is not loaded with the board.
const CardFieldSet = lazy(() => import('./card-field-set.tsx'));

/** The fields of a card. */
export const CardFields = (props: CardFieldsProps) => (
  <Suspense fallback={<Loading rows={2} />}>
    <CardFieldSet {...props} />
  </Suspense>
);
