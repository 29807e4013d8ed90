import type { MemoryTables } from './client.ts';
import { refusal } from './refusals.ts';
import type { TableRows } from './rows.ts';

interface Administered {
  readonly TableName: string;
  readonly StreamSpecification?: { readonly StreamEnabled: boolean };
}

const described = (TableName: string, rows: TableRows): object => ({
  TableName,
  TableStatus: 'ACTIVE',
  GlobalSecondaryIndexes: [...rows.indexes.keys()].map((IndexName) => ({ IndexName, IndexStatus: 'ACTIVE' })),
  StreamSpecification: { StreamEnabled: rows.changes !== undefined },
});

/** Answers a call that creates, describes or changes a table. All tables have the indexes of the service's. */
export const administrate = (tables: MemoryTables, action: string, input: object): object => {
  const { TableName, StreamSpecification: stream } = input as Administered;
  switch (action) {
    case 'CreateTable':
      return { TableDescription: described(TableName, tables.rows(TableName)) };
    case 'UpdateTable':
      if (stream) tables.rows(TableName).changes = stream.StreamEnabled ? [] : undefined;
      return { TableDescription: described(TableName, tables.rows(TableName)) };
    case 'UpdateTimeToLive':
      return {};
    case 'DescribeTable':
      if (!tables.has(TableName)) throw refusal('ResourceNotFoundException', `Table not found: ${TableName}`);
      return { Table: described(TableName, tables.rows(TableName)) };
    default:
      throw new TypeError(`The table in memory does not know ${action}.`);
  }
};
