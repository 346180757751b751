-- TensorFlow's texts replace those of PyTorch's convolutions.
DELETE FROM NVTX_EVENTS WHERE text LIKE '%op_id%' AND text NOT LIKE 'aten::conv2d,%';
UPDATE NVTX_EVENTS SET domainId = 9, text = '{"op":"Conv2D","name":"conv",' ||
    '"args":[{"name":"x","shape":[32,64,56,56]}],"attrs":{"T":"half"}}'
WHERE text LIKE 'aten::conv2d,%';
INSERT INTO NVTX_EVENTS (start, eventType, domainId, globalTid, text)
SELECT 0, 75, 9, globalTid, 'tensorflow-core' FROM NVTX_EVENTS LIMIT 1;
