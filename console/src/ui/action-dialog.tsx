import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Confirm } from './confirm.tsx';

interface ActionOptions<R> {
  /** The queries whose answers it changes. */
  readonly invalidates?: readonly QueryKey[];
  /** Once these are requested again. */
  readonly onDone?: (result: R) => unknown;
}

/** A call that changes something: afterwards the changed data is loaded again. */
export const useAction = <R, V = void>(
  act: (input: V) => Promise<R>,
  { invalidates = [], onDone }: ActionOptions<R> = {},
) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (result: R) => {
      await Promise.all(invalidates.map((queryKey) => queries.invalidateQueries({ queryKey })));
      await onDone?.(result);
    },
  });
};

interface ActionDialogProps<R> extends ActionOptions<R> {
  readonly title: string;
  readonly hint?: string;
  /** The button's word; the title unless it is given. */
  readonly action?: string;
  readonly dangerous?: boolean;
  /** The call. The idempotency key, if the operation takes one, is the dialog's: pressed twice, it acts once. */
  readonly act: (options: { readonly idempotencyKey: string }) => Promise<R>;
  readonly onClose: () => void;
  /** Shown in its place once it is done, such as a secret; without it the dialog closes. */
  readonly after?: (result: R) => ReactNode;
  /** Additional help for a problem, such as a link to the object that causes it. */
  readonly advice?: (error: unknown) => ReactNode;
  /** Its fields, which show the problem's errors in their places: `ui/fields.tsx`. */
  readonly children?: ReactNode;
}

/** A dialog that does something: it closes when that is done, and shows the problem when it is not. Mounted while it is open. */
export const ActionDialog = <R,>(props: ActionDialogProps<R>) => {
  const { title, hint, action = title, dangerous, act, onClose, after, invalidates, onDone, advice, children } = props;
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const acting = useAction(() => act({ idempotencyKey }), {
    ...(invalidates ? { invalidates } : {}),
    onDone: async (result) => {
      if (!after) onClose();
      await onDone?.(result);
    },
  });
  if (after && acting.data !== undefined) return after(acting.data);
  return (
    <Confirm
      opened
      onClose={onClose}
      title={title}
      {...(hint ? { hint } : {})}
      action={action}
      {...(dangerous ? { dangerous } : {})}
      onConfirm={() => acting.mutate()}
      busy={acting.isPending}
      error={acting.error}
    >
      {children}
      {acting.error ? advice?.(acting.error) : null}
    </Confirm>
  );
};
