// About: the machine, the command, what is not known, and every rule.
function pairs(caption, list) {
	return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
	    el('table', null, el('caption', { class: 'hidden' }, caption), el('tbody', null,
		...list.map(([k, v]) => el('tr', null, el('th', { scope: 'row', class: 'text' }, k), el('td', { class: 'fact' }, plain(v)))))));
}

// Facts of the profile and of a GPU in words, and how they are shown.
const infoWords = { dialect: ['format', v => formatSaid[v] || v], step_recorded_ns: ['a step as recorded', v => ns(Number(v))], step_bare_ns: ['a step without the recording', v => ns(Number(v))],
	step_all_ns: ['a step with all findings mended', v => ns(Number(v))], profiler_options: ['options of the profiler'], schema: ['version of the format'], recorder: ['version of the recorder'], t0_ns: ['start, ns since 1970'], t0_utc: ['start (UTC)'],
	duration_ns: ['duration', v => ns(Number(v))], cpu: ['CPU'], n_cpu: ['CPUs'], os: ['operating system'], cuda: ['CUDA'], mem_peak_bytes: ['peak memory', v => bytes(Number(v))], markers: ['ranges by'], marker_ns: ['time that a range takes', v => ns(Number(v))] };
const deviceWords = { name: ['name'], cc: [meta.info.vendor === 'amd' ? 'gfx version' : 'compute capability'], n_sm: [meta.info.vendor === 'amd' ? 'compute units' : 'multiprocessors'], clock_hz: ['clock', v => digits(v / 1e6, 'MHz')], mem_bytes: ['memory', bytes],
	membw_bytes_s: ['memory bandwidth', v => bytes(v) + '/s'], peaks: ['peak TFLOP/s by type', v => v.replace(/=/g, ' ').replace(/,/g, ', ')], peak_gb_s: ['peak memory bandwidth', v => digits(v, 'GB/s')] };

views.about = {
	label: 'About',
	async show() {
		const said = (words, k, v) => words[k] && words[k][1] ? words[k][1](v) : v;
		const alike = new Map();	// GPUs by what is known of them
		for (const { dev, src, ...facts } of rows('dev')) {
			const key = JSON.stringify(facts);
			alike.set(key, [...(alike.get(key) || []), dev]);
		}
		const devs = [...alike].flatMap(([key, list]) => Object.entries(JSON.parse(key)).filter(([, v]) => isSet(v)).map(([k, v]) =>
		    [(list.length === 1 ? 'GPU ' + list[0] : list.length + ' GPUs' + (alike.size > 1 ? ' (' + list.join(', ') + ')' : '')) + ': ' + (deviceWords[k] || [k])[0], said(deviceWords, k, v)]));
		const notes = Object.entries(about().notes).map(([k, v]) => [k, count(v)]);
		const rules = rows('finding').map(f => ({ ...f }));
		const cols = [{ label: 'rule', get: f => f.id }, { label: 'found', name: 'judged', get: f => f.judged }, { label: 'part of', name: 'part_of', get: f => f.part_of }, { label: 'by', get: f => f.by, show: v => v === 'ours' ? 'dlp' : 'DLProf' },
			{ label: 'value', num: true, get: f => f.value }, { label: 'threshold', num: true, get: f => f.threshold },
			{ label: 'not judged, because this is missing', name: 'missing', wrap: true, get: f => f.missing }];
		const out = [el('p', null, 'Where the profile comes from, how this page was made, and what is not known of it.'),
			el('h2', null, 'Profile'), pairs('Profile', [...Object.entries(about().info).filter(([k]) => k !== 'src' || sources.length < 2).map(([k, v]) => [(infoWords[k] || [k])[0], said(infoWords, k, v)]), ...devs]), command(['dlp', 'info', fileShown()]),
			el('h2', null, 'Rules'), el('p', null, 'All rules, judged of ' + (stepsJudged() ? stepWords(stepsJudged()) : 'the whole profile') + ', also those that found nothing, and those that could not be judged.'),
			dataTable(cols, rules, { caption: 'Rules' }), adviseCommand('-a'),
			el('h2', null, 'Notes'), el('p', null, 'What was counted on the way: faults of the data, and how much is known of the kernels.'),
			pairs('Notes', notes), command(['dlp', 'coverage', fileShown()]),
			el('h2', null, 'Page'), pairs('Page', [['made by', meta.by], ...(meta.cut ? [['details', cutSentence()]] : []), ...about().cmds.map(c => ['stage', c])])];
		const diag = await table('diag'), all = [...Array(diag.n).keys()];
		if (diag.n > 0)
			out.push(el('h2', null, 'Messages of the profiler'), pairs('Messages', all.map(i => [text(diag.severity, i), text(diag.text, i)])));
		return out;
	}
};
