-- The tables of dlp sqlite, made of those of the records, which are dropped.
-- dlp-sqlite(7) describes them. Times are in ns.

-- "dlpR": dlp sqlite replaces no other database
PRAGMA application_id = 0x646c7052;

CREATE TABLE steps (
	step INTEGER PRIMARY KEY, key TEXT, start_ns INTEGER, dur_ns INTEGER,
	step_ns INTEGER, gpu_ns INTEGER, n_kern INTEGER, n_op INTEGER);

INSERT INTO steps SELECT iter, key, start_ns, dur_ns, step_ns, gpu_ns, n_kern,
	n_op FROM iter;

CREATE TABLE ops (
	op_id INTEGER PRIMARY KEY, name TEXT, type TEXT, module TEXT, dir TEXT,
	layer TEXT, dtype TEXT, shapes TEXT, args TEXT, fwd_op_id INTEGER
	REFERENCES ops, stack TEXT);

INSERT INTO ops SELECT op_id, name, op, mod, dir, layer, dtype, shapes, args,
	fwd_op_id, stack FROM op;

CREATE TABLE op_runs (
	run_id INTEGER PRIMARY KEY, op_id INTEGER REFERENCES ops,
	step INTEGER REFERENCES steps, start_ns INTEGER, dur_ns INTEGER,
	gpu_ns INTEGER, n_kern INTEGER, tid INTEGER, phase TEXT,
	fwd_run_id INTEGER REFERENCES op_runs);

INSERT INTO op_runs SELECT inst_id, op_id, iter, start_ns, dur_ns, gpu_ns,
	n_kern, tid, phase, fwd_inst_id FROM inst;

CREATE TABLE kernels (
	kernel_id INTEGER PRIMARY KEY, step INTEGER REFERENCES steps,
	op_id INTEGER REFERENCES ops, run_id INTEGER REFERENCES op_runs,
	kind TEXT, name TEXT, full_name TEXT, start_ns INTEGER, dur_ns INTEGER,
	dev INTEGER, stream INTEGER, tid INTEGER, phase TEXT, layer TEXT,
	grid TEXT, block TEXT, api_start_ns INTEGER, api_dur_ns INTEGER,
	flop INTEGER, bytes INTEGER, dtype TEXT, tc TEXT, tc_eligible TEXT,
	tc_why TEXT, no_op_why TEXT);

INSERT INTO kernels SELECT k.id, iter, op_id, inst_id, 'kernel', short, text,
	start_ns, dur_ns, dev, stream, tid, phase, layer, grid, block,
	api_start_ns, api_dur_ns, flop, bytes, dtype, tc, tc_eligible, tc_why,
	why FROM kern k LEFT JOIN str ON str.id = name_id;

INSERT INTO kernels (kernel_id, step, op_id, run_id, kind, name, start_ns,
	dur_ns, dev, stream, tid, phase, layer, api_start_ns, api_dur_ns,
	no_op_why) SELECT id, iter, op_id, inst_id, 'graph', short, start_ns,
	dur_ns, dev, stream, tid, phase, layer, api_start_ns, api_dur_ns, why
	FROM graph;

CREATE TABLE copies (
	copy_id INTEGER PRIMARY KEY, step INTEGER REFERENCES steps,
	op_id INTEGER REFERENCES ops, run_id INTEGER REFERENCES op_runs,
	kind TEXT, bytes INTEGER, src_mem TEXT, dst_mem TEXT, start_ns INTEGER,
	dur_ns INTEGER, dev INTEGER, stream INTEGER, tid INTEGER, phase TEXT);

INSERT INTO copies SELECT id, iter, op_id, inst_id, kind, bytes, src_mem,
	dst_mem, start_ns, dur_ns, dev, stream, tid, phase FROM copy;

INSERT INTO copies SELECT id, iter, op_id, inst_id, 'set', bytes, NULL, mem,
	start_ns, dur_ns, dev, stream, tid, phase FROM "set";

CREATE TABLE gaps (
	gap_id INTEGER PRIMARY KEY, step INTEGER REFERENCES steps, dev INTEGER,
	start_ns INTEGER, dur_ns INTEGER, class TEXT, did TEXT, what TEXT,
	what_ns INTEGER, range TEXT, before_id INTEGER, after_id INTEGER);

INSERT INTO gaps SELECT NULL, iter, dev, start_ns, dur_ns, class, did, what,
	what_ns, range, before_id, after_id FROM gap;

CREATE TABLE findings (
	finding TEXT PRIMARY KEY, verdict TEXT, step_ns INTEGER,
	predicted_step_ns INTEGER, gain_ns INTEGER, share_pct REAL,
	problem TEXT, evidence TEXT, recommendation TEXT, part_of TEXT,
	missing TEXT);

INSERT OR IGNORE INTO findings SELECT id, CASE judged WHEN 'yes' THEN 'found'
	WHEN 'no' THEN 'clear' ELSE 'not_judged' END, step_ns,
	predicted_step_ns, gain_ns, share_pct, problem, evidence,
	recommendation, part_of, missing FROM finding;

CREATE TABLE devices (dev INTEGER PRIMARY KEY, name TEXT, cc TEXT,
	n_sm INTEGER, mem_bytes INTEGER);

INSERT OR IGNORE INTO devices SELECT dev, name, cc, n_sm, mem_bytes FROM dev;

CREATE INDEX kernels_op ON kernels (op_id);

CREATE INDEX kernels_step ON kernels (step);

DROP TABLE iter;

DROP TABLE op;

DROP TABLE inst;

DROP TABLE kern;

DROP TABLE graph;

DROP TABLE copy;

DROP TABLE "set";

DROP TABLE gap;

DROP TABLE finding;

DROP TABLE dev;

DROP TABLE str;
