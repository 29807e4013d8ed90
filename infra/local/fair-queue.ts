/** The organization of a message; undefined if its body has none. */
const tenantOf = (body: string): string | undefined => /"organizationId":"(\w+)"/.exec(body)?.[1];

/**
 * The places of up to `count` of the waiting messages in the order in which a fair queue gives them out: each time the first of the tenant with the
 * fewest messages in flight, and of several the one that waits longest.
 */
export const fairest = (waiting: readonly string[], inFlight: readonly string[], count: number): number[] => {
  const busy = new Map<string, number>();
  for (const tenant of inFlight.map(tenantOf)) if (tenant) busy.set(tenant, (busy.get(tenant) ?? 0) + 1);
  const lines = Map.groupBy(waiting.keys(), (at) => tenantOf(waiting[at] ?? '') ?? at);
  const picked: number[] = [];
  const flights = (tenant: string | number): number => (typeof tenant === 'string' ? (busy.get(tenant) ?? 0) : 0);
  while (picked.length < Math.min(count, waiting.length)) {
    const [tenant, line] = [...lines].reduce((best, next) => (flights(next[0]) < flights(best[0]) ? next : best));
    const at = line.shift();
    if (at !== undefined) picked.push(at);
    if (line.length === 0) lines.delete(tenant);
    if (typeof tenant === 'string') busy.set(tenant, flights(tenant) + 1);
  }
  return picked;
};
