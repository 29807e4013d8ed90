import * as z from 'zod';

/** UTF-8 bytes of a payload as JSON: what a row of the table carries with room to spare. */
const MOST_BYTES = 128 * 1024;
/** What of a JSON value would not come back as it was sent; of its numbers the door takes none that would not. */
const faultOf = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, '__proto__')) return 'must not have the key __proto__';
  for (const inner of Object.values(value)) {
    const fault = faultOf(inner);
    if (fault) return fault;
  }
  return undefined;
};

/** A message's payload: JSON whose form its type and channel check; here only that it can be kept (decisions, part 4). */
export const payloadSchema = z
  .preprocess(
    (input, context) => {
      const fault =
        faultOf(input) ?? (Buffer.byteLength(JSON.stringify(input) ?? '') > MOST_BYTES ? 'is too long' : undefined);
      if (fault === undefined) return input;
      context.addIssue({ code: 'custom', message: fault });
      return z.NEVER;
    },
    z.record(z.string(), z.unknown()),
  )
  .meta({
    description:
      'The content, by type: text `{text}`; media `{media: {kind, id, caption?, filename?, voice?}}`; template `{template: {name, language}}`; interactive `{interactive}`; on e-mail `{email: {subject, html?, text?}}`. At most 128 KB.',
    example: { text: 'Seu pedido saiu para entrega.' },
  });
