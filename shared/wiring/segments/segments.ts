import type { SegmentPorts } from '../../domain/segments/segment.ts';
import { audienceIndex } from '../../storage/audience/index-reader.ts';
import { membershipStatusReader } from '../../storage/audience/memberships.ts';
import { segmentStore } from '../../storage/segments/segments.ts';
import { clock, table } from '../process/aws.ts';

export const segmentPorts: SegmentPorts = { clock, store: segmentStore(table), index: audienceIndex(table, { clock }) };

export const membershipStatus = membershipStatusReader(table);
