-- The eighth graph and all later ones begin $1 ns later.
UPDATE CUPTI_ACTIVITY_KIND_GRAPH_TRACE SET start = start + $1, end = end + $1
WHERE start >= (SELECT start FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE
    ORDER BY start LIMIT 1 OFFSET 7);
