/** Priorities of messages and of their work. */
export const PRIORITIES = ['normal', 'bulk', 'critical'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Fields that determine the priority of a message's work. */
export interface Prioritized {
  readonly route?: string | undefined;
  readonly priority?: Priority | undefined;
}

/**
 * The priority of a message's work, from sending to the delivery of its events: a one-time password is always critical.
 */
export const priorityOf = ({ route, priority = 'normal' }: Prioritized): Priority =>
  route === 'otp' ? 'critical' : priority;

/** The priority as stored with work that a message causes; absent if normal. */
export const storedPriority = (message: Prioritized): { readonly priority?: Priority } => {
  const priority = priorityOf(message);
  return priority === 'normal' ? {} : { priority };
};
