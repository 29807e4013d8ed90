import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';

interface IconButtonProps {
  /** The action, for those who cannot see the icon. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  /** The icon. */
  readonly children: ReactNode;
}

/** A button that shows an icon alone. */
export const IconButton = ({ label, ...button }: IconButtonProps) => (
  <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} title={label} {...button} />
);
