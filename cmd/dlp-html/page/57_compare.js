// Compare: what became slower or faster since another run, as dlp diff matches it.
// dlp-html numbers the sections, of which the first is the profile.
const compareBy = ['op', 'type', 'layer', 'kernel', 'phase'];
const totalNames = ['step', 'busy', 'idle', 'work', 'tc'];

function changeColumns(labels) {
	const time = (label, name) => ({ label, name, num: true, unit: 'ns', get: r => r[name], show: ns });
	return [...labels.map(name => ({ label: name === 'dir' ? 'direction' : name === 'shapes' ? 'sizes' : name, name, get: r => r[name] })),
		time('before', 'a_ns'), time('after', 'b_ns'), time('difference', 'diff_ns'),
		{ label: '%', name: 'diff_pct', num: true, get: r => r.diff_pct, show: v => isSet(v) ? (v > 0 ? '+' : '') + percent(v) : minus },
		{ label: 'change', get: r => r.change }, time('noise', 'noise_ns'), { label: tensorCores('Tensor Cores'), name: 'tc', get: r => r.tc },
		{ label: 'count before', name: 'a_n', num: true, get: r => r.a_n, show: number },
		{ label: 'count after', name: 'b_n', num: true, get: r => r.b_n, show: number }];
}

function changeSentence(step) {
	if (!step || !isSet(step.a_ns) || !isSet(step.b_ns))
		return 'How long a step takes is not known of both runs.';
	return 'A ' + (step.name || 'step') + ' took ' + ns(step.a_ns) + ' before and takes ' + ns(step.b_ns) + ' now: ' +
	    ({ noise: 'the difference can be chance', 'few-steps': 'there are too few steps to tell whether this is chance',
		same: 'no difference' }[step.change] || step.change) + '.';
}

if (isSet(meta.before) && meta.diff.rows > 0)
	views.compare = {
		label: 'Compare',
		show() {
			const by = compareBy.includes(state.g) ? state.g : 'op', tag = String(2 + compareBy.indexOf(by));
			const all = rows('diff').filter(r => r.tag === tag);
			const totals = all.filter(r => totalNames.includes(r.what)), f = parseFilter(state.f || '');
			const list = all.filter(r => !totals.includes(r) && f.where.every(([c, v]) => String(r[c]).toLowerCase() === v) &&
			    f.words.every(w => [r.name, r.dir, r.shapes].join(' ').toLowerCase().includes(w)));
			const labels = by === 'op' ? ['name', 'dir', 'shapes'] : by === 'kernel' || by === 'phase' ? ['name'] : ['name', 'dir'];
			const select = el('select', { id: 'by', onchange: e => go({ g: e.target.value }) },
			    ...compareBy.map(g => el('option', { value: g, selected: g === by }, g)));
			return [el('p', null, 'This run against ' + meta.before + '. ' + changeSentence(totals[0]) +
				' Times are means of a step, of the even steps of each run; the range on top does not change them.'),
				meta.said.length > 0 ? el('ul', { class: 'quiet' }, ...meta.said.map(s => el('li', null, s))) : '',
				dataTable(changeColumns(['name']), totals, { caption: 'Totals of a step' }),
				el('p', { class: 'bar' }, el('label', null, 'group by ', select)), filterField('words, or change=slower, tc=no->yes'),
				dataTable(changeColumns(labels), list, { caption: 'Changes by ' + by }),
				command(['dlp', 'diff', ...(by === 'op' ? [] : ['-g', by]), meta.before, meta.file])];
		}
	};
