// Sums by group, as dlp-agg makes them.
//	groupBy(t, rows, [columns], value)
// A row of the result: key (the texts of the columns), n, sum, max, min, first (the
// number of a row of the group), members (on demand).
function codes(col, n) {
	if (col.d)
		return { at: i => col.v[i], k: col.d.length + 1, of: v => v < 0 ? null : col.d[v] };
	const seen = new Map(), list = [], v = new Int32Array(n);
	for (let i = 0; i < n; i++) {
		const x = Number.isNaN(col[i]) ? -1 : col[i];
		if (x === -1) {
			v[i] = -1;
			continue;
		}
		if (!seen.has(x))
			seen.set(x, list.push(x) - 1);
		v[i] = seen.get(x);
	}
	return { at: i => v[i], k: list.length + 1, of: j => j < 0 ? null : list[j] };
}

function groupBy(t, list, cols, value) {
	const by = cols.map(c => codes(t[c], t.n)), at = new Map(), groups = [];
	for (const i of list) {
		let key = 0;
		for (const c of by)
			key = key * c.k + c.at(i) + 1;
		let g = at.get(key);
		if (g === undefined) {
			g = { key: by.map(c => c.of(c.at(i))), n: 0, sum: 0, max: -Infinity,
				min: Infinity, code: key, first: i };
			at.set(key, g);
			groups.push(g);
		}
		const v = value[i];
		g.n++;
		if (!Number.isNaN(v)) {
			g.sum += v;
			g.max = Math.max(g.max, v);
			g.min = Math.min(g.min, v);
		}
	}
	groups.keyOf = i => by.reduce((k, c) => k * c.k + c.at(i) + 1, 0);
	groups.of = new Map(groups.map(g => [g.code, g]));
	return groups.sort((a, b) => b.sum - a.sum || b.n - a.n);
}

// A column of op records for the rows of work.
async function ofOp(t, name) {
	const op = await table('op'), at = new Map(), col = op[name];
	for (let i = 0; i < op.n; i++)
		at.set(op.op_id[i], i);
	const v = new Int32Array(t.n).fill(-1);
	for (let i = 0; i < t.n; i++)
		if (at.has(t.op_id[i]))
			v[i] = col.v[at.get(t.op_id[i])];
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
		const c = t[name];
		list = list.filter(c.d ? i => (text(c, i) || '').toLowerCase() === want :
		    i => String(c[i]) === want);
	}
	return list;
}

const filterGroups = (groups, f) => groups.filter(g => g.sum >= f.more &&
    f.words.every(w => g.key.join(' ').toLowerCase().includes(w)));
