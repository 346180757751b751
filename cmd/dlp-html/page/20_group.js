// Sums by group, as dlp-agg makes them.
//	groupBy(t, rows, [columns], value)
// A row of the result: key (the texts of the columns), n, sum, max, min, first (the
// number of a row of the group). groups.at(j) is the group of the j-th of the rows.

// A column as small numbers, from 0 for unknown.
function codes(col, n) {
	if (col.d)
		return { v: col.v, k: col.d.length + 1, of: v => v < 0 ? null : col.d[v] };
	const seen = new Map(), list = [], v = new Int32Array(n);
	let was = NaN, code = -1;
	for (let i = 0; i < n; i++) {
		const x = col[i];
		if (x !== was) {
			was = x;
			code = Number.isNaN(x) ? -1 : seen.get(x);
			if (code === undefined)
				seen.set(x, code = list.push(x) - 1);
		}
		v[i] = code;
	}
	return { v, k: list.length + 1, of: j => j < 0 ? null : list[j] };
}

// Numbers of keys, from 0 in the order in which they come.
function numbering(room) {
	const few = room <= 1 << 21 ? new Int32Array(room) : null, many = new Map();
	let n = 0;
	return key => {
		const was = few ? few[key] : many.get(key);
		if (was)
			return was - 1;
		n++;
		if (few)
			few[key] = n;
		else
			many.set(key, n);
		return n - 1;
	};
}

function groupBy(t, list, cols, value) {
	const by = cols.map(c => codes(t[c], t.n)), made = [], of = new Int32Array(list.length);
	const pieces = t.sums ? t.pieces : null, longest = t.sums ? t.max_ns : value;
	const number = numbering(by.reduce((k, c) => k * c.k, 1));
	for (let j = 0; j < list.length; j++) {
		const i = list[j], v = value[i];
		let key = 0;
		for (const c of by)
			key = key * c.k + c.v[i] + 1;
		const at = of[j] = number(key);
		const g = made[at] || (made[at] = { key: by.map(c => c.of(c.v[i])), n: 0, sum: 0, max: -Infinity, min: Infinity, first: i });
		g.n += pieces ? pieces[i] : 1;
		if (v === v) {	// not NaN
			g.sum += v;
			if (longest[i] > g.max)
				g.max = longest[i];
			if (v < g.min)
				g.min = v;
		}
	}
	const groups = made.slice().sort((a, b) => b.sum - a.sum || b.n - a.n);
	groups.at = j => made[of[j]];
	return groups;
}

// A column of op records for the rows of work.
async function ofOp(t, name) {
	const op = await table('op', ['op_id', name]), at = new Map(), col = op[name], from = op.op_id, ids = t.op_id;
	for (let i = 0; i < op.n; i++)
		at.set(from[i], col.v[i]);
	const v = new Int32Array(t.n);
	let was = NaN, is = -1;
	for (let i = 0; i < t.n; i++) {
		if (ids[i] !== was) {
			was = ids[i];
			is = at.has(was) ? at.get(was) : -1;
		}
		v[i] = is;
	}
	return { d: col.d, v };
}

// A filter: blank-separated terms. column=value or column:value looks at rows of
// work; >1ms at times of a group; other words at its names.
const filterNames = { why: 'tc_why', kernel: 'short', type: 'op' };

function parseFilter(s) {
	const f = { where: [], words: [], more: 0 };
	for (const term of s.toLowerCase().split(/\s+/).filter(x => x)) {
		const m = term.match(/^([a-z_]+)[=:](.+)$/), t = term.match(/^>([\d.]+)(ns|us|ms|s)$/);
		if (t)
			f.more = t[1] * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[t[2]];
		else if (m)
			f.where.push([filterNames[m[1]] || m[1], m[2]]);
		else
			f.words.push(term);
	}
	return f;
}

function filterRows(t, list, f) {
	for (const [name, want] of f.where) {
		const c = t[name], known = c.d ? c.d.map(s => s.toLowerCase() === want) : null;
		if (known)	// - is unknown
			list = list.filter(i => c.v[i] < 0 ? want === minus : known[c.v[i]]);
		else
			list = list.filter(i => want === minus ? Number.isNaN(c[i]) : String(c[i]) === want);
	}
	return list;
}

const filterGroups = (groups, f) => groups.filter(g => g.sum >= f.more &&
    f.words.every(w => g.key.join(' ').toLowerCase().includes(w)));
