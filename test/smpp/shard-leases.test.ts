import { describe, expect, it } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { leaseShard, recordAnswered } from '../../shared/domain/smpp/deliver.ts';
import { SHARD_LEASE_MS } from '../../shared/domain/smpp/notice.ts';
import { LATER, leaseOf, reported, useNotices } from './notices-kit.ts';

const { aMessage, messages, notices, ownTable, ports, portsOf, report, seen, time } = await useNotices();

describe('a lease of a shard', () => {
  it('belongs to one process until it is released or expires', async () => {
    const account = newId('smppAccount');
    await report(aMessage(account), 'delivered');
    time.now += LATER;
    const mine = leaseOf(account);
    expect(await leaseShard(ports, mine, undefined)).toBeDefined();
    expect(await leaseShard(ports, leaseOf(account), undefined)).toBeUndefined();
    expect(await notices.waiting(account, time.now)).toEqual([]);
    // An end of another lease changes nothing.
    await notices.end(leaseOf(account));
    expect(await leaseShard(ports, leaseOf(account), undefined)).toBeUndefined();
    time.now += SHARD_LEASE_MS;
    expect(await notices.waiting(account, time.now)).toEqual([0]);
    const next = leaseOf(account);
    expect(await leaseShard(ports, next, undefined)).toBeDefined();
    await notices.end(mine);
    expect(await leaseShard(ports, leaseOf(account), undefined)).toBeUndefined();
    await notices.end(next);
    expect(await notices.waiting(account, time.now)).toEqual([0]);
  });

  it('stops sending early enough before its end for every response', async () => {
    const account = newId('smppAccount');
    const { sendUntil } = await seen(account);
    expect(sendUntil - time.now).toBeLessThanOrEqual(SHARD_LEASE_MS - 30_000);
  });

  it('is taken by one of twenty concurrent processes, and no notice is delivered twice', async () => {
    const account = newId('smppAccount');
    const all = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const message = aMessage(account, [{ wants: 'always', intermediate: true }], true);
        for (const status of ['sent', 'delivered'] as const) await report(message, status);
        return message.id;
      }),
    );
    time.now += LATER;
    const log: string[] = [];
    const process = async () => {
      const own = portsOf(ownTable());
      for (let idle = 0; idle < 3; ) {
        const waiting = await own.notices.waiting(account, time.now);
        if (waiting.length === 0) idle++;
        for (const shard of waiting) {
          const lease = leaseOf(account, shard);
          const work = await leaseShard(own, lease, undefined);
          for (const delivery of work?.deliveries ?? []) {
            log.push(`${delivery.report?.id} ${delivery.report?.state}`);
            await recordAnswered(own, delivery);
          }
          if (work) await own.notices.end(lease);
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, process));
    expect(log.toSorted()).toEqual(all.flatMap((id) => [`${id} 1`, `${id} 2`]).toSorted());
    for (const id of all) expect(log.indexOf(`${id} 1`)).toBeLessThan(log.indexOf(`${id} 2`));
  });

  it('covers a shard page by page, and the rest of the message at a page’s end in the next round', async () => {
    const account = newId('smppAccount');
    const many = Array.from({ length: 49 }, () => aMessage(account));
    for (const message of many) await report(message, 'delivered');
    time.now += 10;
    const split = aMessage(account, [{ wants: 'always', intermediate: true }]);
    for (const status of ['sent', 'delivered'] as const) await report(split, status);
    time.now += 10;
    const last = aMessage(account);
    await report(last, 'delivered');
    time.now += LATER;
    const first = await seen(account);
    expect([first.deliveries.length, reported(first).at(-1)]).toEqual([50, `${split.id} 1`]);
    const rest = await seen(account, { after: first.next ?? '' });
    expect([reported(rest), rest.next]).toEqual([[`${last.id} 2`], undefined]);
  });

  it('removes empty notices, and defers unreadable ones, without holding up the others', async () => {
    const account = newId('smppAccount');
    const [gone, odd, plain] = [aMessage(account), aMessage(account), aMessage(account)];
    for (const message of [gone, odd, plain]) await report(message, 'delivered');
    messages.delete(gone.id);
    messages.set(odd.id, 'unreadable');
    time.now += LATER;
    expect(reported(await seen(account))).toEqual([`${plain.id} 2`]);
    const left = await notices.page(leaseOf(account), undefined);
    expect(left.notices.map(({ about, attempts }) => [about, attempts]).toSorted()).toEqual(
      [
        [odd.id, 1],
        [plain.id, 0],
      ].toSorted(),
    );
  });
});
