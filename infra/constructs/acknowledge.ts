import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Acknowledges findings of cdk-nag on a construct: the reason of each, by its id. */
export const acknowledge = (construct: IConstruct, reasons: Readonly<Record<string, string>>): void => {
  for (const [id, reason] of Object.entries(reasons)) Validations.of(construct).acknowledge({ id, reason });
};
