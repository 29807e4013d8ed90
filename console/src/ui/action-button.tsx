import { Button, type ButtonProps } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useAction } from './action.ts';
import { ProblemView } from './problem-view.tsx';

interface ActionButtonProps extends ButtonProps {
  readonly label: string;
  readonly act: () => Promise<unknown>;
  readonly invalidates: readonly QueryKey[];
}

/** Does something at once, and shows the problem beside it when it is not done. */
export const ActionButton = ({ label, act, invalidates, ...button }: ActionButtonProps) => {
  const acting = useAction(act, { invalidates });
  return (
    <>
      <Button variant="default" {...button} onClick={() => acting.mutate()} loading={acting.isPending}>
        {label}
      </Button>
      <ProblemView error={acting.error} />
    </>
  );
};
