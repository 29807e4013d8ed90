import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ActionOptions, useAction } from './action.ts';
import { Confirm } from './confirm.tsx';

interface ActionDialogProps<R> extends ActionOptions<R> {
  readonly title: string;
  readonly hint?: string;
  /** The button's word; the title unless it is given. */
  readonly action?: string;
  readonly dangerous?: boolean;
  readonly act: () => Promise<R>;
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
  const { title, hint, action = title, dangerous, act, onClose, after, onDone, advice, children, ...options } = props;
  const acting = useAction(act, {
    ...options,
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

interface DeleteDialogProps
  extends Pick<ActionDialogProps<unknown>, 'title' | 'hint' | 'action' | 'invalidates' | 'onClose' | 'children'> {
  readonly remove: () => Promise<unknown>;
  /** The page shown next, before anything is loaded again: the deleted object would not be found. */
  readonly leadsTo: string;
}

/** Deletes what the page is about, once one confirms. */
export const DeleteDialog = ({ remove, leadsTo, ...dialog }: DeleteDialogProps) => {
  const navigate = useNavigate();
  const act = async () => {
    await remove();
    await navigate({ to: leadsTo, replace: true });
  };
  return <ActionDialog dangerous {...dialog} act={act} />;
};
