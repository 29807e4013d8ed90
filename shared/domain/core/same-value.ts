/** A value of JSON. */
type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Whether two JSON values are equal: key order doesn't matter, and undefined equals absent. */
export const isSameValue = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const name of names) {
    const [mine, theirs] = [one, other].map((each) => (Object.hasOwn(each, name) ? each[name] : undefined));
    if (!isSameValue(mine, theirs)) return false;
  }
  return true;
};
