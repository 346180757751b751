-- What the bench's pipeline must find in a profile of gen: kernels by name,
-- and by step. Each step waits for its kernels, so that they start in it.
.mode list
.separator "\t"
SELECT 'kern', value, count(*), sum(end - start)
    FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = shortName
    GROUP BY value;
WITH event AS (
    SELECT start, 1 AS step FROM NVTX_EVENTS WHERE text GLOB 'iteration *'
    UNION ALL SELECT start, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL)
SELECT 'iter', n - 1, count(*) - 1
    FROM (SELECT sum(step) OVER (ORDER BY start
	ROWS UNBOUNDED PRECEDING) AS n FROM event)
    WHERE n > 0 GROUP BY n;
