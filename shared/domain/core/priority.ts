/** The priorities that a caller may give a message, and that its work has. */
export const PRIORITIES = ['normal', 'bulk', 'critical'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What the priority of a message's work depends on. */
export interface Prioritized {
  readonly route?: string | undefined;
  readonly priority?: Priority | undefined;
}

/** The priority of a message's work, from its sending to the delivery of its events: a one-time password is critical, whatever else it says. */
export const priorityOf = ({ route, priority = 'normal' }: Prioritized): Priority =>
  route === 'otp' ? 'critical' : priority;

/** The priority of what a message causes, as it is stored with it: nothing where it is normal. */
export const storedPriority = (message: Prioritized): { readonly priority?: Priority } => {
  const priority = priorityOf(message);
  return priority === 'normal' ? {} : { priority };
};
