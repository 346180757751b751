-- Marks a model's configuration: $1 is a member of its object.
INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, domainId, text)
SELECT start + 1, start + 2, 59, globalTid, 0, '{"model_config": {$1}}'
FROM NVTX_EVENTS WHERE text LIKE 'iteration 0';
