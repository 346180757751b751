// Layers: the tree of layers, their ops and kernels, as an icicle and as a table.
const dirParts = ['fprop', 'bprop', 'optimizer'];

const newNode = (name, path, up) => ({ name, path, up, level: up ? up.level + 1 : -1, below: new Map(), self: 0, total: 0,
	n: 0, kern: 0, tc: 0, fprop: 0, bprop: 0, optimizer: 0, other: 0 });

function childOf(node, name, path) {
	if (!node.below.has(name))
		node.below.set(name, newNode(name, path, node));
	return node.below.get(name);
}

const sortedBelow = node => [...node.below.values()].sort((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1));

// Not the / in "Torch-Compiled Region: 0/0".
const layerEnd = /\/(?!\d)|(?<!: !?\d+)\//;

// Layers have the path of dlp layers; ops and kernels below them are leaves of the icicle.
function layerTree(t, list) {
	const root = newNode('all GPU work', '', null);
	for (const g of groupBy(t, list, ['layer', 'dir', 'op', 'short', 'tc'], t.dur_ns)) {
		const [layer, dir, op, kernel, tc] = g.key, part = dirParts.includes(dir) ? dir : 'other';
		let node = root, path = '', leaf = null;
		for (const name of (layer === null ? '-' : layer).split(layerEnd)) {
			path += (path === '' ? '' : '/') + name;
			node = childOf(node, name, path);
		}
		node.self += g.sum;
		node.ops = node.ops || newNode('', path, node.up);
		leaf = childOf(node.ops, (op || 'no op') + (dir === null ? '' : ' ' + dirWord(dir)), path);
		leaf.level = node.level + 1;
		leaf = childOf(leaf, kernel || 'copy, set or graph', path);
		for (let x of [leaf, leaf.up, node])
			for (; x !== null; x = x === leaf || x === leaf.up ? null : x.up) {
				x.total += g.sum;
				x.n += g.n;
				x[part] += g.sum;
				x.kern += tc === null ? 0 : g.sum;
				x.tc += tc === 'yes' ? g.sum : 0;
			}
	}
	return root;
}

// The layers in the order of the tree.
function layerRows(root) {
	const out = [];
	const put = node => {
		for (const c of sortedBelow(node)) {
			out.push(c);
			put(c);
		}
	};
	put(root);
	return out;
}

const nodeAt = (root, path) => path ? layerRows(root).find(n => n.path === path) || root : root;

// What stands below a node in the icicle: its layers, then its own ops.
const inside = node => [...sortedBelow(node), ...(node.ops ? sortedBelow(node.ops) : [])];

function icicle(top, zoom) {
	const canvas = el('canvas', { class: 'large icicle', tabindex: 0, role: 'application', 'aria-label':
		'Layers, their ops and kernels by GPU time. Arrow keys choose one, Enter zooms in, Backspace zooms out. The table below has the same numbers.' });
	const info = el('p', { class: 'quiet hint' }, 'A click zooms in; the first row zooms out.'), tall = 22;
	let boxes = [], chosen = null;

	function place() {
		boxes = [];
		const put = (node, x, w, row, up) => {
			const box = { node, x, w, row, up };
			boxes.push(box);
			let at = x;
			for (const c of inside(node)) {
				const wide = node.total > 0 ? c.total / node.total * w : 0;
				if (wide * widthOf(canvas) >= 0.5)
					put(c, at, wide, row + 1, box);
				at += wide;
			}
		};
		put(top, 0, 1, 0, null);
	}

	function about(node) {
		return (node.path && node.path !== node.name ? node.path + ' ' : '') + (node.up && node.up.level >= -1 && node.path === node.name ? node.name : node.path.endsWith(node.name) ? '' : node.name) + ': ' + ns(node.total) + ', ' +
		    percent(share(node.total, top.total)) + (top.up ? ' of what is shown' : ' of GPU work') + tensorCores(', Tensor Cores ') + percent(share(node.tc, node.kern)) + ' of its kernels';
	}

	canvas.draw = () => {
		place();
		canvas.style.height = (Math.max(...boxes.map(b => b.row)) + 1) * tall + 'px';
		const { g, w } = canvasOf(canvas);
		for (const b of boxes) {
			const x = b.x * w, wide = Math.max(1, b.w * w - 1), y = b.row * tall, part = b.node.total > 0 ? b.node.tc / b.node.total : 0;
			g.globalAlpha = 0.35;
			g.fillStyle = color('kern');
			g.fillRect(x, y, wide, tall - 1);
			g.fillStyle = color('back');
			g.globalAlpha = 1;
			g.fillRect(x, y, wide * part, tall - 1);
			g.globalAlpha = 0.45;
			g.fillStyle = color('tc');
			g.fillRect(x, y, wide * part, tall - 1);
			g.globalAlpha = 1;
			if (b === chosen) {
				g.strokeStyle = color('text');
				g.lineWidth = 2;
				g.strokeRect(x + 1, y + 1, wide - 2, tall - 3);
			}
			if (wide > 24)
				clipText(g, bare(b.node.name), x + 3, y + 15, wide - 5);
		}
	};

	function choose(b) {
		chosen = b;
		info.textContent = b ? about(b.node) : '';
		canvas.draw();
	}
	const open = b => {
		if (b.row === 0 && b.node.up)
			zoom(b.node.up.path);
		else if (b.node.below.size > 0 || b.node.ops)
			zoom(b.node.path);
	};
	const hit = e => boxes.find(b => b.row === Math.floor(e.offsetY / tall) && e.offsetX >= b.x * canvas.clientWidth && e.offsetX < (b.x + b.w) * canvas.clientWidth);
	canvas.addEventListener('mousemove', e => {
		const b = hit(e) || null;
		choose(b);
		tip(b ? e : null, b ? [bare(b.node.name), bare(about(b.node))] : []);
	});
	canvas.addEventListener('mouseleave', () => tip(null));
	canvas.addEventListener('click', e => {
		const b = hit(e);
		if (b)
			open(b);
	});
	canvas.addEventListener('keydown', e => {
		const c = chosen || boxes[0], peers = boxes.filter(b => b.row === c.row).sort((a, b) => a.x - b.x), at = peers.indexOf(c);
		const to = { ArrowRight: () => peers[at + 1], ArrowLeft: () => peers[at - 1], ArrowUp: () => c.up,
			ArrowDown: () => boxes.filter(b => b.up === c).sort((a, b) => b.w - a.w)[0] }[e.key];
		if (e.key === 'Enter')
			open(c);
		else if (e.key === 'Backspace' && top.up)
			zoom(top.up.path);
		else if (!to)
			return;
		else {
			choose(to() || c);
			say(info.textContent);
		}
		e.preventDefault();
	});
	return [canvas, info];
}

views.layers = {
	label: 'Layers',
	ofWork: true,
	missing: () => meta.tables.work.cols.layer || meta.cut ? null : 'no ranges around layers were recorded',
	detail: 'all',
	async show() {
		const t = await workFor(['layer', 'op', 'short', 'tc']), list = rowsInRange(t), root = layerTree(t, list), top = nodeAt(root, state.r);
		const all = layerRows(top === root ? root : { below: new Map([[top.name, top]]) });
		const flat = root.below.size <= 1 || sortedBelow(root).reduce((m, n) => Math.max(m, n.self), 0) > 0.8 * root.total;
		const time = (label, c, name, title) => ({ label, name, num: true, unit: 'ns', get: n => n[c], show: ns, title });
		const cols = [{ label: 'layer', get: n => n.path, show: (v, n) => n.name, indent: n => n.level }, { label: 'level', num: true, get: n => n.level, show: plain },
			{ label: 'count', name: 'n', num: true, get: n => n.n, show: count }, time('total', 'total', 'total_ns', 'with all layers inside it'),
			{ label: '% of GPU work', name: 'pct', num: true, get: n => share(n.total, root.total), show: percent, part: true }, time('self', 'self', 'self_ns', 'what it launches itself'),
			time('forward', 'fprop', 'fprop_ns'), time('backward', 'bprop', 'bprop_ns'), time('optimizer', 'optimizer', 'optimizer_ns'),
			time('other', 'other', 'other_ns', 'communication, and work without a direction'),
			{ label: tensorCores('% Tensor Cores'), num: true, get: n => share(n.tc, n.kern), show: percent,
				title: 'of the time of its kernels' }];
		const zoom = path => go({ r: path });
		return [el('p', null, 'GPU time of each layer with what is inside it: ' + ns(root.total) + ' in all. In the picture ops stand below their layer and kernels below their op; green is the share on ' + tensorCores('Tensor Cores.') +
			(flat && root.total > 0 ? ' Most of the time is in one layer: ranges around modules (dlp-record --markers, nvtx.range_push) would open it up.' : '')),
		top === root ? null : el('p', { class: 'bar' }, el('strong', null, top.path), el('button', { type: 'button', onclick: () => zoom(top.up.path) }, 'zoom out'), el('button', { type: 'button', onclick: () => zoom('') }, 'all layers')),
		...(root.total > 0 ? icicle(top, zoom) : [el('p', null, 'No GPU work lies in these steps.')]),
		report(['folded']), el('h3', null, 'Tree of layers'),
		dataTable(cols, all, { caption: 'Tree of layers', onRow: n => zoom(n.path) }), report(['layers'])];
	}
};
