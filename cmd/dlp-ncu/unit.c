/* See unit.h. */
#include "num.h"
#include "unit.h"

static const struct unit units[] = {
	{ "byte", "_bytes", 1 },
	{ "Kbyte", "_bytes", 1e3 },
	{ "Mbyte", "_bytes", 1e6 },
	{ "Gbyte", "_bytes", 1e9 },
	{ "Tbyte", "_bytes", 1e12 },
	{ "ns", "_ns", 1 },
	{ "nsecond", "_ns", 1 },
	{ "us", "_ns", 1e3 },
	{ "usecond", "_ns", 1e3 },
	{ "ms", "_ns", 1e6 },
	{ "msecond", "_ns", 1e6 },
	{ "s", "_ns", 1e9 },
	{ "second", "_ns", 1e9 },
	{ "%", "_pct", 1 },
	{ "hz", "_hz", 1 },
	{ "Khz", "_hz", 1e3 },
	{ "Mhz", "_hz", 1e6 },
	{ "Ghz", "_hz", 1e9 },
	{ "cycle/second", "_hz", 1 },
	{ "cycle/usecond", "_hz", 1e6 },
	{ "cycle/nsecond", "_hz", 1e9 },
	{ "byte/second", "_bytes_s", 1 },
	{ "Kbyte/second", "_bytes_s", 1e3 },
	{ "Mbyte/second", "_bytes_s", 1e6 },
	{ "Gbyte/second", "_bytes_s", 1e9 },
	{ "Tbyte/second", "_bytes_s", 1e12 },
	{ "byte/s", "_bytes_s", 1 },
	{ "Kbyte/s", "_bytes_s", 1e3 },
	{ "Mbyte/s", "_bytes_s", 1e6 },
	{ "Gbyte/s", "_bytes_s", 1e9 },
	{ "Tbyte/s", "_bytes_s", 1e12 },
};

const struct unit *
unit_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

void
unit_column(struct buf *out, const char *metric, const char *unit)
{
	const struct unit *u = unit_find(unit);
	size_t from = out->len, n;

	for (; *metric != '\0'; metric++) {
		char c = *metric;

		if (c >= 'A' && c <= 'Z')
			c = (char)(c | 0x20);
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
			c = '_';
		if (c != '_' ||
		    (out->len > from && out->s[out->len - 1] != '_'))
			buf_putc(out, c);
	}
	if (u == NULL)
		return;
	n = strlen(u->suffix);
	if (out->len - from < n ||
	    memcmp(out->s + out->len - n, u->suffix, n) != 0)
		buf_puts(out, u->suffix);
}

bool
unit_number(const char *value, double *v)
{
	char s[64];
	size_t n = 0;

	for (; *value != '\0'; value++) {
		if (*value == ',')
			continue;
		if (n == sizeof(s))
			return false;
		s[n++] = *value;
	}
	return n > 0 && num_f64(s, n, v);
}

bool
unit_value(struct buf *out, const char *value, const char *unit)
{
	const struct unit *u = unit_find(unit);
	double v;
	int places = 6;

	if (!unit_number(value, &v))
		return false;
	v *= u != NULL ? u->scale : 1;
	if (v > -9e15 && v < 9e15 && v == (double)(int64_t)v) {
		buf_i64(out, (int64_t)v);
		return true;
	}
	buf_f64(out, v, places);
	while (out->s[out->len - 1] == '0' && places-- > 1)
		out->len--;
	return true;
}
