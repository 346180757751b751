/*
 * The fields of a trace's event: numbers, times, texts and lists, which the
 * reader of the event has left as they are written.
 */
#include <string.h>

#include "json_tok.h"
#include "kineto.h"
#include "num.h"

bool
kineto_field_int(const struct kineto_loader *l, int f, int64_t *v)
{
	struct mview raw = l->ev.field[f];

	*v = EV_UNSET;
	return raw.s != NULL && num_i64(raw.s, raw.n, v);
}

/*
 * Microseconds with a fraction as nanoseconds, digit by digit, because a double
 * loses the last digits of times since 1970: 1428625748330.94 is
 * 1428625748330940. What is below a nanosecond is cut, and so is an exponent
 * that no time has.
 */
bool
kineto_field_us(const struct kineto_loader *l, int f, int64_t *ns)
{
	struct mview v = l->ev.field[f];
	const char *p = v.s, *e = v.s + v.n;
	int64_t n = 0, exp = 0, frac = 0, digits = 0;
	bool neg, point = false;

	*ns = EV_UNSET;
	if (l->ev.timed) {
		*ns = f == KF_TS ? l->ev.start : l->ev.dur;
		return *ns != EV_UNSET;
	}
	if (v.s == NULL)
		return false;
	neg = p < e && *p == '-';
	for (p += neg; p < e && ((*p >= '0' && *p <= '9') || *p == '.'); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		digits++;
		if (n > (INT64_MAX - 9) / 10) {
			if (!point)
				return false;
			continue;
		}
		n = n * 10 + (*p - '0');
		frac += point;
	}
	if (digits == 0)
		return false;
	if (p < e) {
		if (*p != 'e' && *p != 'E')
			return false;
		p++;
		p += p < e && *p == '+';
		if (!num_i64(p, (size_t)(e - p), &exp))
			return false;
		exp = exp < -30 ? -30 : exp > 30 ? 30 : exp;
	}
	for (exp += 3 - frac; exp > 0; exp--)
		if (__builtin_mul_overflow(n, (int64_t)10, &n))
			return false;
	for (; exp < 0; exp++)
		n /= 10;
	*ns = neg ? -n : n;
	return true;
}

struct mview
kineto_field_text(struct kineto_loader *l, int f)
{
	struct mview raw = l->ev.field[f];

	if (raw.s == NULL || memchr(raw.s, '\\', raw.n) == NULL)
		return raw;
	buf_clear(&l->tmp);
	json_unescape_text(raw, &l->tmp);
	return mv(l->tmp.s, l->tmp.s + l->tmp.len);
}

bool
kineto_field_is(const struct kineto_loader *l, int f, const char *text)
{
	return mv_eq(l->ev.field[f], text);
}

int64_t
kineto_field_id(struct kineto_loader *l, int f)
{
	struct mview v = kineto_field_text(l, f);

	if (v.s == NULL)
		return EV_UNSET;
	return (int64_t)smap_put(&l->k->texts, v.s, v.n, NULL);
}

bool
kineto_list_next(const char **p, struct mview *v)
{
	const char *s = *p;
	int depth = 0;
	bool text = false;

	while (strchr(" ,\n\r\t", *s) != NULL)
		s++;
	v->s = s;
	if (*s == ']')
		return false;
	do {
		if (text && *s == '\\')
			s++;
		else if (*s == '"')
			text = !text;
		else if (!text && (*s == '[' || *s == '{'))
			depth++;
		else if (!text && (*s == ']' || *s == '}'))
			depth--;
		s++;
	} while (depth > 0 || text || strchr(" ,]\n\r\t", *s) == NULL);
	*p = s;
	*v = mv(v->s, s);
	if (*v->s == '"')
		*v = mv(v->s + 1, s - 1);
	return true;
}

const char *
kineto_list(const struct kineto_loader *l, int f)
{
	struct mview v = l->ev.field[f];

	return v.s != NULL && v.s[0] == '[' ? v.s + 1 : NULL;
}

struct mview
kineto_element(const struct kineto_loader *l, int f, int i)
{
	struct mview v = { "", 0 };
	const char *p = kineto_list(l, f);

	for (; p != NULL && i >= 0; i--)
		if (!kineto_list_next(&p, &v))
			p = NULL;
	return p != NULL ? v : mv("", "");
}
