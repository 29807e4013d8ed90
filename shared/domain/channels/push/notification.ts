import type { PushAction, PushNotification } from './transport.ts';

/** Content of a push message. */
export type PushContent = Omit<PushNotification, 'data'>;

const nonEmpty = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const actionsOf = (value: unknown): PushAction[] | undefined =>
  Array.isArray(value)
    ? value.flatMap((each: unknown) => {
        const { label, link } = (each ?? {}) as Readonly<Record<string, unknown>>;
        return nonEmpty(label) === undefined ? [] : [{ label: nonEmpty(label) ?? '', link: nonEmpty(link) }];
      })
    : undefined;

/** Reads a common payload as a notification: the fields of a push message, or plain text. Undefined without any text. */
export const notificationOf = (content: unknown): PushContent | undefined => {
  const { payload } = (content ?? {}) as { readonly payload?: Readonly<Record<string, unknown>> };
  const body = nonEmpty(payload?.body) ?? nonEmpty(payload?.text);
  if (!payload || body === undefined) return undefined;
  return {
    title: nonEmpty(payload.title) ?? '',
    body,
    deepLink: nonEmpty(payload.deepLink),
    imageUrl: nonEmpty(payload.imageUrl),
    actions: actionsOf(payload.actions),
    silent: payload.silent === true ? true : undefined,
  };
};
