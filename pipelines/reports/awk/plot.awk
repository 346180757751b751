# A picture of a report's rows as SVG, of 720 by 400 points and 16 more for each further
# line of its legend: kind is steps, memory, roofline, ranks or heat; of: what heat shows;
# gaps: of steps, a file with the rows of dlp gaps. The variable title of the environment
# is the name of the profile, because awk -v takes backslashes apart. Colors are those of
# the page (cmd/dlp-html/page/page.css).

function esc(s) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	gsub(/"/, "\\&quot;", s)
	return s
}

function put_text(x, y, anchor, s, more) {
	printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, more, esc(s)
}

function put_rect(x, y, w, h, fill) {
	printf "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y, w, h, fill
}

function put_line(x1, y1, x2, y2, stroke, more) {
	printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"%s/>\n", x1, y1, x2, y2, stroke, more
}

# A tick at each of 1, 2 or 5 times a power of ten, some five of them.
function tick_of(most,	p) {
	p = pow10(floor(log10(most)))
	return most / p <= 1.5 ? p / 5 : most / p <= 3 ? p / 2 : most / p <= 7 ? p : 2 * p
}

function time_unit(most) {
	unit = most >= 1e9 ? "s" : most >= 1e6 ? "ms" : "us"
	return most >= 1e9 ? 1e9 : most >= 1e6 ? 1e6 : 1e3
}

# The axis on the left, from 0 to most (in its unit), with the name of what it shows.
function left_axis(most, name,	t, v) {
	t = tick_of(most)
	for (v = 0; v <= most * 1.0001; v += t) {
		put_line(L, y_of(v, most), W - R, y_of(v, most), v == 0 ? "#333" : "#ddd", "")
		put_text(L - 6, y_of(v, most) + 4, "end", sprintf("%g", v), "")
	}
	put_text(14, (T + H - B) / 2, "middle", name, sprintf(" transform=\"rotate(-90 14 %g)\"", (T + H - B) / 2))
}

function y_of(v, most) {
	return H - B - v / most * (H - T - B)
}

function bottom_name(name) {
	put_text((L + W - R) / 2, H - 8, "middle", name, "")
}

# The legend, in lines under the title, which are counted before the picture begins. An
# entry without a color is a text.
function legend(name, fill) {
	legend_name[++n_legend] = name
	legend_fill[n_legend] = fill
}

function put_legend(	i, x, y, wide) {
	x = L
	y = 30
	for (i = 1; i <= n_legend; i++) {
		wide = 30 + 6.9 * length(legend_name[i])
		if (x > L && x + wide - 14 > W - R) {
			x = L
			y += 16
		}
		if (legend_fill[i] != "")
			legend_text = legend_text sprintf("<rect x=\"%.2f\" y=\"%.2f\" width=\"10.00\" height=\"10.00\" fill=\"%s\"/>\n", x, y, legend_fill[i])
		legend_text = legend_text sprintf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"start\">%s</text>\n", \
		    x + (legend_fill[i] != "" ? 14 : 0), y + 9, esc(legend_name[i]))
		x += wide
	}
	T += y - 30
	H += y - 30
}

function begin(	said, i) {
	put_legend()
	said = head[kind] ": " ENVIRON["title"]
	print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n", W, H, W, H
	printf "<title>%s</title>\n", esc(head[kind] ": " ENVIRON["title"])
	# waits are hatched, as on the page
	printf "<defs>"
	for (i = 1; i <= n_hatch; i++)
		printf "<pattern id=\"h%d\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" fill=\"%s\"/><path d=\"%s\" stroke=\"#fff\" stroke-opacity=\"0.75\"/></pattern>", \
		    i, hatch[i], i == 2 ? "M0 0L6 6" : "M0 6L6 0"
	print "</defs>"
	printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", W, H
	put_text(L, 20, "start", length(said) > 78 ? substr(said, 1, 50) "..." substr(said, length(said) - 23) : said, " font-size=\"14\" font-weight=\"bold\"")
	printf "%s", legend_text
}

BEGIN {
	FS = "\t"
	W = 720; H = 400; L = 64; R = 16; T = 52; B = 46
	head["steps"] = "Time of the GPU by step"
	head["memory"] = "Memory in use"
	head["roofline"] = "Roofline"
	head["ranks"] = "Communication by rank"
	word["late"] = "How late ranks came to collectives"
	word["wait"] = "Waiting for other ranks"
	word["comm"] = "Communication"
	word["exposed"] = "Communication that no kernel hides"
	word["step"] = "Length of steps"
	head["heat"] = word[of] ", by rank and step"
	split("tc_ns other_kern_ns graph_ns comm_ns mem_ns launch-bound dataloader sync comm-wait allocation host-only idle_ns", step_part, " ")
	split("Tensor Core kernels|other kernels|graphs|communication|copies and sets|idle, waiting for launches|idle, waiting for data|" \
	    "idle, a call waits for the GPU|idle, waiting for other ranks|idle, allocating memory|idle, the CPU computes|idle", step_name, "|")
	split("#14805a #4a7fe0 #6a2c91 #e0730a #f0c64a #6b737c url(#h1) url(#h2) url(#h3) #b5bcc3 #cbd1d7 #e6e9ed", step_color, " ")
	n_hatch = kind == "steps" ? split("#8a929b #a2aab2 #b5bcc3", hatch, " ") : 0
	while (gaps != "" && (getline row <gaps) > 0)
		read_gap()
}

# Idle time by step and reason.
function read_gap(	f, k, i) {
	k = split(row, f, "\t")
	if (!("class" in gap_at)) {
		for (i = 1; i <= k; i++)
			gap_at[f[i]] = i
		return
	}
	i = f[gap_at["class"]]
	idle[f[gap_at["iter"]], i == "after-sync" ? "sync" : i] += f[gap_at["dur_ns"]]
}

NR == 1 {
	for (i = 1; i <= NF; i++) {
		at[$i] = i
		heading[i] = $i
	}
	next
}

function field(name) {
	return name in at && $(at[name]) != "-" ? $(at[name]) + 0 : 0
}

kind == "steps" {
	x[++n] = $(at["iter"])
	rest = field("idle_ns")
	for (i = 1; i < 12; i++) {
		part[n, i] = i < 6 ? field(step_part[i]) : idle[x[n], step_part[i]] + 0
		if (i > 5)
			rest -= part[n, i]
	}
	part[n, 12] = rest > 0 ? rest : 0
}

kind == "ranks" {
	n++
	x[n] = $(at["rank"])
	part[n, 1] = field("sum_comm_ns")
	part[n, 2] = field("sum_exposed_ns")
	part[n, 3] = field("sum_wait_ns")
}

kind == "heat" {
	x[++n] = $1
	n_rank = NF - 1
	for (i = 2; i <= NF; i++)
		heat[n, i] = $i
}

kind == "memory" && $(at["used_bytes"]) != "-" {
	n++
	dev[n] = $(at["dev"])
	x[n] = field("start_ns")
	y[n] = field("used_bytes")
}

kind == "roofline" && field("ai") > 0 && field("tflops") > 0 {
	n++
	x[n] = field("ai")
	y[n] = field("tflops")
	size[n] = field("gpu_ns")
	name[n] = $1
	type[n] = $(at["dtype"])
	bound[n] = $(at["bound"])
	if (field("peak_tflops") > roof[$(at["dtype"])] + 0)
		roof[$(at["dtype"])] = field("peak_tflops")
	# the bandwidth of the memory, by the row that comes nearest to it
	if (bound[n] == "memory" && field("bound_pct") > best) {
		best = field("bound_pct")
		band = field("gb_s") / best * 100
	}
}

# n groups of bars: on each other, or side by side; none wider than 60.
function bars(names, colors, k, stacked,	most, i, j, sum, u, wide, left, tall, every, used) {
	for (i = 1; i <= n; i++) {
		sum = 0
		for (j = 1; j <= k; j++) {
			sum = stacked ? sum + part[i, j] : (part[i, j] > sum ? part[i, j] : sum)
			used[j] += part[i, j]
		}
		if (sum > most)
			most = sum
	}
	for (j = 1; j <= k; j++)
		if (used[j] > 0)
			legend(names[j], colors[j])
	begin()
	u = time_unit(most)
	most = most > 0 ? most / u : 1
	left_axis(most, "time in " unit)
	wide = (W - L - R) / n
	wide = wide > 60 ? 60 : wide
	every = int(34 / wide) + 1
	for (i = 1; i <= n; i++) {
		sum = 0
		left = L + (i - 1) * wide
		for (j = 1; j <= k; j++) {
			tall = part[i, j] / u / most * (H - T - B)
			if (part[i, j] <= 0)
				continue
			if (stacked)
				put_rect(left + wide * 0.1, H - B - sum - tall, wide * 0.8, tall, colors[j])
			else
				put_rect(left + wide * (0.1 + 0.8 * (j - 1) / k), H - B - tall, wide * 0.76 / k, tall, colors[j])
			sum += tall
		}
		if ((i - 1) % every == 0)
			put_text(left + wide / 2, H - B + 16, "middle", x[i], "")
	}
}

# From white to the color of communication, by the share of the greatest value.
function shade(v) {
	return sprintf("#%02x%02x%02x", 255 - 31 * v, 250 - 135 * v, 245 - 235 * v)
}

# Steps from left to right, ranks from top to bottom. Cells of less than 2 points are
# joined, and show their greatest value.
function heatmap(	i, j, most, u, across, down, a, b, v, cell, every) {
	across = n < 300 ? n : 300
	down = n_rank < 150 ? n_rank : 150
	for (i = 1; i <= n; i++)
		for (j = 1; j <= n_rank; j++) {
			if (heat[i, j + 1] == "-")
				continue
			v = heat[i, j + 1] + 0
			a = int((i - 1) * across / n)
			b = int((j - 1) * down / n_rank)
			if (!((a, b) in cell) || v > cell[a, b])
				cell[a, b] = v
			most = v > most ? v : most
		}
	u = time_unit(most)
	for (i = 0; i <= 4; i++)
		legend(sprintf("%.3g%s", most * i / 4 / u, i == 4 ? " " unit : ""), shade(i / 4))
	begin()
	for (a = 0; a < across; a++)
		for (b = 0; b < down; b++)
			if ((a, b) in cell)
				put_rect(L + a * (W - L - R) / across, T + b * (H - T - B) / down, \
				    (W - L - R) / across, (H - T - B) / down, shade(most > 0 ? cell[a, b] / most : 0))
	every = int(n * 34 / (W - L - R)) + 1
	for (i = 1; i <= n; i += every)
		put_text(L + (i - 0.5) * (W - L - R) / n, H - B + 16, "middle", x[i], "")
	every = int(n_rank * 16 / (H - T - B)) + 1
	for (j = 1; j <= n_rank; j += every) {
		v = heading[j + 1]
		gsub(/[^0-9]/, "", v)
		put_text(L - 6, T + (j - 0.5) * (H - T - B) / n_rank + 4, "end", v, "")
	}
	put_text(14, (T + H - B) / 2, "middle", "rank", sprintf(" transform=\"rotate(-90 14 %g)\"", (T + H - B) / 2))
	bottom_name("step")
}

function curve(	i, first, last, most, u, t, v, d, path, hue, n_dev, has) {
	first = x[1]
	for (i = 1; i <= n; i++) {
		last = x[i] > last ? x[i] : last
		first = x[i] < first ? x[i] : first
		most = y[i] > most ? y[i] : most
	}
	split("#4a7fe0 #e0730a #14805a #6a2c91", hue, " ")
	for (i = 1; i <= n; i++)
		has[dev[i]] = 1
	for (d = 0; d < 64; d++)
		if (d in has)
			legend("GPU " d, hue[n_dev++ % 4 + 1])
	begin()
	n_dev = 0
	u = most >= 1e9 ? 1e9 : most >= 1e6 ? 1e6 : 1e3
	most = most > 0 ? most / u : 1
	left_axis(most, "memory in " (u == 1e9 ? "GB" : u == 1e6 ? "MB" : "kB"))
	last = last > first ? last - first : 1
	for (i = 1; i <= n; i++) {
		v = L + (x[i] - first) / last * (W - L - R)
		path[dev[i]] = path[dev[i]] (path[dev[i]] == "" ? sprintf("M%.1f", v) : sprintf("H%.1f", v)) \
		    (path[dev[i]] == "" ? sprintf(" %.1f", y_of(y[i] / u, most)) : sprintf("V%.1f", y_of(y[i] / u, most)))
	}
	for (d = 0; d < 64; d++)
		if (d in path) {
			n_dev++
			printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", path[d], hue[(n_dev - 1) % 4 + 1]
		}
	u = time_unit(last)
	t = tick_of(last / u)
	for (v = 0; v <= last / u * 1.0001; v += t)
		put_text(L + v * u / last * (W - L - R), H - B + 16, "middle", sprintf("%g", v), "")
	bottom_name("time since the first event in " unit)
}

# A small awk, as of busybox, can be without log(), sqrt() and ^.
function pow10(n,	p) {
	for (p = 1; n > 0; n--)
		p *= 10
	for (; n < 0; n++)
		p /= 10
	return p
}

# The series of ln, between 1 and 2; nothing that is drawn is 0.
function log10(v,	e, two, t, s, k) {
	for (; v >= 10; v /= 10)
		e++
	for (; v > 0 && v < 1; v *= 10)
		e--
	for (; v >= 2; v /= 2)
		two++
	t = v = (v - 1) / (v + 1)
	for (k = 1; k < 36; k += 2) {
		s += t / k
		t *= v * v
	}
	return e + (two * 0.69314718055994531 + 2 * s) / 2.302585092994046
}

function sqrt_of(v,	r, next_) {
	if (v <= 0)
		return 0
	r = v > 1 ? v : 1
	while ((next_ = (r + v / r) / 2) < r)
		r = next_
	return r
}

function px(v) {
	return L + (log10(v) - x0) / (x1 - x0) * (W - L - R)
}

function py(v) {
	return H - B - (log10(v) - y0) / (y1 - y0) * (H - T - B)
}

# A text, and 1, unless another one stands there or it does not fit; a roof's is moved down.
function label(x, y, anchor, s, roofs,	i, wide, left) {
	wide = 6.4 * length(s)
	left = anchor == "end" ? x - wide : x
	for (i = 1; i <= n_label; i++)
		if (y > label_y[i] - 12 && y < label_y[i] + 12 && left < label_x[i] + label_w[i] + 6 && left + wide + 6 > label_x[i]) {
			if (!roofs)
				return 0
			y = label_y[i] + 13
			i = 0
		}
	if (left + wide > W || left < L)
		return 0
	n_label++
	label_x[n_label] = left
	label_y[n_label] = y
	label_w[n_label] = wide
	put_text(x, y, anchor, s, "")
	return 1
}

function within(v, low, high) {
	return v < low ? low : v > high ? high : v
}

function floor(v) {
	return v == int(v) ? v : int(v) - (v < 0)
}

function roofline(	i, j, all, d, v, top, r, k, small, types, named, known, hue, color, n_roof, most,
    drawn, order, n_types) {
	for (d in roof)
		n_roof += roof[d] > 0
	x0 = y0 = 99
	x1 = y1 = -99
	for (i = 1; i <= n; i++) {
		all += size[i]
		if ((n_roof == 0 || roof[type[i]] > 0) && size[i] > most)
			most = size[i]
	}
	for (i = 1; i <= n; i++) {
		# what takes next to no time, or has no roof, would only stretch the axes
		small += size[i] < all / 1000
		if (size[i] < most / 100 || (n_roof > 0 && roof[type[i]] == 0))
			continue
		x0 = log10(x[i]) < x0 ? log10(x[i]) : x0
		x1 = log10(x[i]) > x1 ? log10(x[i]) : x1
		y0 = log10(y[i]) < y0 ? log10(y[i]) : y0
		y1 = log10(y[i]) > y1 ? log10(y[i]) : y1
	}
	for (d in roof) {
		# without a peak: made by asking for it
		if (roof[d] == 0) {
			delete roof[d]
			continue
		}
		top = roof[d] > top ? roof[d] : top
		if (band > 0 && log10(roof[d] * 1000 / band) > x1)
			x1 = log10(roof[d] * 1000 / band)
	}
	y1 = top > 0 && log10(top) > y1 ? log10(top) : y1
	split("bf16 fp16 16bit tf32 fp32 fp64 fp8 int8", known, " ")
	split("#14805a #f0c64a #e0730a #6a2c91 #4a7fe0 #a08a3c #9cc4ea #a2aab2", hue, " ")
	for (j = 1; j <= 9; j++) {
		k = 0
		for (i = 1; i <= n; i++)
			if (size[i] >= all / 1000 && !(i in color) && (j == 9 || type[i] == known[j])) {
				color[i] = j == 9 ? "#e6e9ed" : hue[j]
				k++
			}
		if (k > 0)
			legend(j == 9 ? "other types" : known[j], j == 9 ? "#e6e9ed" : hue[j])
	}
	legend("area: time on the GPU" (small > 0 ? ", without " small " of less than 0.1 %" : ""), "")
	begin()
	x0 = floor(x0); y0 = floor(y0); x1 = floor(x1) + 1; y1 = floor(y1 + 0.1) + 1
	for (i = x0; i <= x1; i++) {
		put_line(px(pow10(i)), T, px(pow10(i)), H - B, "#ddd", "")
		put_text(i < x1 ? px(pow10(i)) : W - 4, H - B + 16, i < x1 ? "middle" : "end", sprintf("%g", pow10(i)), "")
	}
	for (i = y0; i <= y1; i++) {
		put_line(L, py(pow10(i)), W - R, py(pow10(i)), "#ddd", "")
		put_text(L - 6, py(pow10(i)) + 4, "end", sprintf("%g", pow10(i)), "")
	}
	if (band > 0) {
		# where the slope enters the picture on the left or from below
		v = band * pow10(x0) / 1000
		r = v >= pow10(y0) ? pow10(x0) : pow10(y0) * 1000 / band
		d = top > 0 ? top : pow10(y1)
		put_line(px(r), py(r * band / 1000), px(d * 1000 / band), py(d), "#b87400", " stroke-width=\"1.5\"")
		v = sqrt_of(r * d * 1000 / band)
		put_text(px(v) - 6, py(v * band / 1000) - 4, "end", sprintf("%.2g TB/s", band / 1000), "")
	}
	for (i = 1; i <= n; i++) {
		d = type[i]
		if (!(d in roof) || drawn[d]++)
			continue
		put_line(band > 0 ? px(roof[d] * 1000 / band) : L, py(roof[d]), W - R, py(roof[d]), "#333", " stroke-width=\"1.5\"")
		k = sprintf("%.3g", roof[d])
		if (!(k in types))
			order[++n_types] = k
		types[k] = types[k] (types[k] == "" ? "" : ", ") d
	}
	for (i = 1; i <= n; i++) {
		if (size[i] < all / 1000)
			continue
		printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" fill-opacity=\"0.55\" stroke=\"#57606a\"><title>%s</title></circle>\n", \
		    within(px(x[i]), L, W - R), within(py(y[i]), T, H - B), 2.5 + 26 * sqrt_of(size[i] / all), color[i], esc(name[i])
	}
	for (i = 1; i <= n_types; i++) {
		k = order[i]
		label(W - R - 2, py(k) - 5, "end", types[k] " " k " TFLOP/s", 1)
	}
	# names of the largest, where there is room
	for (j = 1; j <= 6; j++) {
		d = 0
		for (i = 1; i <= n; i++)
			if (!(i in named) && size[i] >= all / 200 && (d == 0 || size[i] > size[d]))
				d = i
		if (d == 0)
			break
		named[d] = 1
		v = name[d]
		sub(/.*\//, "", v)
		v = substr(v, 1, 28)
		r = 5 + 26 * sqrt_of(size[d] / all)
		if (!label(px(x[d]) + r, py(y[d]) + 4, "start", v, 0) && !label(px(x[d]) - r, py(y[d]) + 4, "end", v, 0))
			label(px(x[d]), py(y[d]) - r, "start", v, 0)
	}
	put_text(14, (T + H - B) / 2, "middle", "TFLOP/s", sprintf(" transform=\"rotate(-90 14 %g)\"", (T + H - B) / 2))
	bottom_name("FLOPs per byte")
}

END {
	if (n == 0) {
		begin()
		put_text(W / 2, H / 2, "middle", "the report has no rows", "")
	} else if (kind == "steps") {
		bars(step_name, step_color, 12, 1)
		bottom_name("step")
	} else if (kind == "ranks") {
		split("communication|that no kernel hides|waiting for others", names, "|")
		split("#e0730a #f2b27a #8a929b", colors, " ")
		bars(names, colors, 3, 0)
		bottom_name("rank")
	} else if (kind == "heat") {
		heatmap()
	} else if (kind == "memory") {
		curve()
	} else {
		roofline()
	}
	print "</svg>"
}
