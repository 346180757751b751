-- An op of XLA in the place of the last one of TensorFlow.
UPDATE NVTX_EVENTS SET domainId = 8, text = 'Thunk:#hlo_op=fusion.1#'
WHERE rowid = (SELECT max(rowid) FROM NVTX_EVENTS WHERE domainId = 9 AND eventType = 59);
INSERT INTO NVTX_EVENTS (start, eventType, domainId, globalTid, text)
SELECT 0, 75, 8, globalTid, 'TSL' FROM NVTX_EVENTS LIMIT 1;
