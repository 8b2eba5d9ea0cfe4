-- One text for SQLite and PostgreSQL: both know these words for these types.
-- In SQLite, BYTEA is a name like any other and holds bytes as they are.

CREATE TABLE tribunal_rosters (
    hash  TEXT PRIMARY KEY,
    tests BYTEA NOT NULL
);

-- seq is the order of adding. The large columns come last, because SQLite reads
-- a row from the left.
CREATE TABLE tribunal_runs (
    seq      BIGINT PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    header   TEXT NOT NULL,
    policy   TEXT NOT NULL,
    summary  TEXT NOT NULL,
    roster   TEXT NOT NULL REFERENCES tribunal_rosters (hash),
    counts   BYTEA NOT NULL,
    envelope BYTEA NOT NULL
);

CREATE INDEX tribunal_runs_roster ON tribunal_runs (roster);

-- The row every writer takes first. An identity column would leave gaps, and
-- could number a run before one that is committed earlier.
CREATE TABLE tribunal_sequence (
    last BIGINT NOT NULL
);

INSERT INTO tribunal_sequence (last) VALUES (0);
