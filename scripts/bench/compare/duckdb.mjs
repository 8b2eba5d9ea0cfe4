// What DuckDB needs to answer the questions Tribunal answers: the counts of
// every test, or the ordered lists of its trials, of one newline-delimited file.
//
//   node duckdb.mjs counts|lists INPUT OUTPUT
//
// Only the columns of the question are read, which is the fastest way to ask it.
import { DuckDBInstance } from '@duckdb/node-api';

const [question, input, output] = process.argv.slice(2);
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
const key = { suite: 'VARCHAR', test: 'VARCHAR', variant: 'VARCHAR' };
const columns = {
  counts: { ...key, status: 'VARCHAR' },
  lists: {
    ...key, attempt: 'INTEGER', status: 'VARCHAR', error_class: 'VARCHAR', score: 'DOUBLE',
    duration_ms: 'DOUBLE', cost_usd: 'DOUBLE', tokens: 'BIGINT', tool_calls: 'BIGINT',
  },
}[question];
const kept = Object.keys(columns).filter((name) => !(name in key));
const wanted = {
  counts: "count(*) AS total, count(*) FILTER (status = 'pass') AS passed",
  lists: kept.map((name) => `list(${name} ORDER BY attempt) AS ${name}`).join(', '),
}[question];
const source = `read_json(${quoted(input)}, format = 'newline_delimited', columns = {${
  Object.entries(columns).map(([name, type]) => `${name}: ${quoted(type)}`).join(', ')}})`;

const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const connection = await instance.connect();
await connection.run(`COPY (SELECT suite, test, variant, ${wanted} FROM ${source} GROUP BY ALL) TO ${quoted(output)} (FORMAT json)`);
