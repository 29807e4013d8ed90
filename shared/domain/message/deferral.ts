/** Why a queued message is not sent yet, and when to try again (ms). */
export interface Deferral {
  readonly until: number;
  readonly detail: string;
}
